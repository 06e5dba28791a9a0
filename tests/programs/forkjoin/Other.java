import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Arrays;

/**
 * Another agent, and the program that it is for: it sees Rich's task when it is loaded, renames a constant in it ("out of
 * it"), redefines it by its own bytes and by those that it saw, retransforms it, and says what it saw. Argument `wait`: waits
 * for a line on stdin then, and retransforms it once more.
 */
public final class Other implements ClassFileTransformer {
    private static final String TARGET = "Rich$Sum";
    private static Instrumentation instrumentation;
    private static byte[] seen;
    private static boolean changes;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
        changes = "changes".equals(options);
        given.addTransformer(new Other(), true);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (!TARGET.equals(name))
            return null;
        seen = bytes.clone();
        return changes ? changed(bytes) : null;
    }

    /** As a tool does that writes all of it anew: same meaning, other bytes. */
    private static byte[] changed(byte[] bytes) {
        byte[] other = bytes.clone(), from = "out of it".getBytes(), to = "OUT OF IT".getBytes();
        for (int i = 0; i + from.length <= other.length; i++)
            if (Arrays.equals(Arrays.copyOfRange(other, i, i + from.length), from))
                System.arraycopy(to, 0, other, i, to.length);
        return other;
    }

    private static void say(String what, byte[] original) throws Exception {
        boolean hooked = new String(seen, "ISO-8859-1").contains("HeddleHook");
        // stderr: with us and without us it is not the same
        System.err.println("seen: " + what + " " + (Arrays.equals(seen, original) ? "original" : hooked ? "hooked" : "other"));
        Rich.compute();
    }

    public static void main(String[] arguments) throws Exception {
        Class<?> target = Class.forName(TARGET);
        byte[] original;
        try (InputStream in = Other.class.getResourceAsStream(TARGET + ".class")) {
            original = in.readAllBytes();
        }
        Rich.main(arguments);
        say("load", original);
        byte[] first = seen;
        instrumentation.redefineClasses(new ClassDefinition(target, original));
        say("redefine", original);
        instrumentation.redefineClasses(new ClassDefinition(target, first));
        say("again", original);
        instrumentation.redefineClasses(new ClassDefinition(target, changed(first)));
        say("changed", original);
        instrumentation.redefineClasses(new ClassDefinition(target, original));
        instrumentation.retransformClasses(target);
        say("retransform", original);
        if (arguments.length > 0) {
            System.out.println("ready");
            while (System.in.read() != '\n') { }
            say("detached", original); // it was retransformed by whoever detached
            instrumentation.retransformClasses(target);
            say("once-more", original);
        }
        Rich.print(false);
    }
}
