// Raw DEFLATE, by what the browser brings.

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new DecompressionStream('deflate-raw')
  const writer = stream.writable.getWriter()
  // A failure shows at the reading end; here it would only be reported twice.
  writer.write(bytes).catch(() => undefined)
  writer.close().catch(() => undefined)
  return new Uint8Array(await new Response(stream.readable).arrayBuffer())
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text)
  const bytes = new Uint8Array(characters.length)
  for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i)
  return bytes
}
