// What an aggregate stands for, in the words of `heddle pes --records`.

const [RUNS_TOLD, TEXT_MOST] = [3, 200]

/** The first sequences and how often each was, and how many more there are. @param others sequences that are only counted */
export function textOfRuns(runs: [names: string[], count: number][], others: number): string {
  const told = runs.slice(0, RUNS_TOLD).map(([names, count]) => `${names.join(' ')} (${count}x)`)
  const more = Math.max(0, runs.length - RUNS_TOLD) + others
  return `${told.join('; ')}${more > 0 ? `; ${more} more` : ''}`
}

export const cutText = (text: string): string => text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST - 3)}...` : text
