import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Executable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A task that has something of all that a class file can say of a method. Prints what reflection sees of it and of the pool's
 * own classes, and what it computes; where it throws, with its stack.
 */
public class Rich {
    static final AtomicInteger computed = new AtomicInteger();

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    @interface Mark {
        String value() default "";

        int[] numbers() default {};

        Class<?>[] classes() default {};

        Inner[] inner() default {};
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.PARAMETER})
    @interface Note {
        String value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Inner {
        ElementType type() default ElementType.FIELD;
    }

    static class Sum<T extends Number & Comparable<T>> extends RecursiveTask<List<T>> {
        final List<T> of;
        final int how;

        Sum(final @Note("of") List<@Mark("element") T> of, int how) {
            this.of = of;
            this.how = how;
        }

        @Note("compute")
        @Override
        protected @Mark(value = "result", numbers = {1, 2}, classes = int[].class, inner = @Inner(type = ElementType.METHOD)) List<@Mark("part") T> compute() throws IllegalStateException {
            computed.incrementAndGet();
            @Mark("local") List<T> found = new @Mark("made") ArrayList<@Mark("argument") T>();
            for (@Mark("each") T each : of)
                switch (each.intValue()) {
                case 0:
                    continue;
                case 1:
                case 2:
                    found.add(each);
                    break;
                case 1000:
                    return found;
                default:
                    try {
                        Object cast = (@Mark(value = "cast", inner = @Inner) Comparable<?>) each;
                        if (cast instanceof @Mark("instance") Integer)
                            found.add(each);
                        if (how == 1)
                            throw new @Mark("thrown") IllegalArgumentException("in a loop");
                        synchronized (found) {
                            found.add(each);
                        }
                    } catch (@Mark("caught") IllegalArgumentException e) {
                        if (each.intValue() > 4)
                            throw new IllegalStateException("out of it", e);
                    } finally {
                        found.remove(null);
                    }
                }
            switch (String.valueOf(how)) {
            case "3":
                return found.subList(0, 1);
            default:
                return how > 3 ? new Sum<>(of, how - 1).invoke() : found;
            }
        }

        protected <E extends Exception> void another(@Note("first") final @Mark("number") int first, E second) throws E { }
    }

    /** Has a monitor as a whole, which is given up when it throws. */
    static class Locked extends RecursiveTask<Integer> {
        @Override
        protected synchronized Integer compute() {
            if (computed.incrementAndGet() % 2 == 0)
                throw new IllegalStateException("even");
            return 1;
        }
    }

    /** Members of annotations come in any order. */
    static String sorted(Object... of) {
        String[] words = Arrays.deepToString(of).split("[ ,()]+");
        Arrays.sort(words);
        return String.join(" ", words);
    }

    /** parameters: JDK 17 forgets their names when a class is redefined. */
    static void print(Class<?> type, boolean parameters) {
        System.out.println(type.toGenericString() + " " + type.getGenericSuperclass());
        List<Executable> all = new ArrayList<>(Arrays.asList(type.getDeclaredMethods()));
        all.addAll(Arrays.asList(type.getDeclaredConstructors()));
        all.sort((a, b) -> a.toString().compareTo(b.toString()));
        for (Executable e : all)
            System.out.println(e.toGenericString() + " " + e.getModifiers() + " " + e.isSynthetic()
                               + sorted((Object) e.getAnnotations(), e.getParameterAnnotations(), e.getExceptionTypes(),
                                        e.getAnnotatedReturnType(), e.getAnnotatedParameterTypes(), parameters ? e.getParameters() : null));
        System.out.println(sorted((Object) type.getDeclaredFields(), type.getDeclaredClasses()));
    }

    static void print(boolean parameters) {
        for (Class<?> type : new Class<?>[] {Sum.class, ForkJoinTask.class, ForkJoinPool.class})
            print(type, parameters);
    }

    static void compute() {
        ForkJoinPool pool = new ForkJoinPool(1);
        for (int how = 0; how < 6; how++)
            System.out.println(how + ": " + pool.invoke(new Sum<>(Arrays.asList(2, 0, 3, 1, 4, how == 2 ? 1000 : 0, 4), how)));
        try {
            new Sum<>(Arrays.asList(3, 8), 1).invoke();
        } catch (IllegalStateException e) {
            for (Throwable t = e; t != null; t = t.getCause())
                for (StackTraceElement at : t.getStackTrace())
                    if (at.getClassName().startsWith("Rich"))
                        System.out.println(at);
        }
        Locked locked = new Locked();
        for (int i = 0; i < 2; i++)
            try {
                System.out.println(locked.compute() + " " + Thread.holdsLock(locked));
            } catch (IllegalStateException e) {
                System.out.println(e + " " + Thread.holdsLock(locked));
            }
        System.out.println("truth: computed=" + computed);
    }

    public static void main(String[] arguments) throws Exception {
        print(true);
        compute();
    }
}
