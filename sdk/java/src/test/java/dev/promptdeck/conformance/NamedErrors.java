package dev.promptdeck.conformance;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Creates error classes by name. The class file is generated, because the harness chooses the name at run time. */
final class NamedErrors {
    private static final String PACKAGE = "dev/promptdeck/conformance/";
    private static final int CLASS_FILE_OF_JAVA_8 = 52;
    private static final int PUBLIC_SUPER = 0x21;
    private static final int PUBLIC = 0x01;
    private static final Map<String, Class<?>> KNOWN = new ConcurrentHashMap<>();

    /** Base class of all generated classes. */
    public static class Marked extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /**
         * Called by the generated classes.
         *
         * @param message the message chosen by the harness
         */
        public Marked(String message) {
            super(message);
        }
    }

    private NamedErrors() {}

    static Exception make(String name, String message) throws ReflectiveOperationException {
        Class<?> type = KNOWN.computeIfAbsent(name, NamedErrors::define);
        return (Exception) type.getConstructor(String.class).newInstance(message);
    }

    private static Class<?> define(String name) {
        try {
            return MethodHandles.lookup().defineClass(classFile(name));
        } catch (IllegalAccessException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code public class <name> extends Marked { public <name>(String message) { super(message); } }} */
    private static byte[] classFile(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeShort(0);
        out.writeShort(CLASS_FILE_OF_JAVA_8);
        out.writeShort(10);
        text(out, PACKAGE + name); // 1
        reference(out, 7, 1); // 2: this class
        text(out, PACKAGE + "NamedErrors$Marked"); // 3
        reference(out, 7, 3); // 4: its parent
        text(out, "<init>"); // 5
        text(out, "(Ljava/lang/String;)V"); // 6
        text(out, "Code"); // 7
        reference(out, 12, 5, 6); // 8: the constructor's name and type
        reference(out, 10, 4, 8); // 9: the parent's constructor
        out.writeShort(PUBLIC_SUPER);
        out.writeShort(2);
        out.writeShort(4);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(PUBLIC);
        out.writeShort(5);
        out.writeShort(6);
        out.writeShort(1);
        out.writeShort(7);
        // aload_0, aload_1, invokespecial #9, return
        byte[] code = {0x2A, 0x2B, (byte) 0xB7, 0, 9, (byte) 0xB1};
        out.writeInt(12 + code.length);
        out.writeShort(2);
        out.writeShort(2);
        out.writeInt(code.length);
        out.write(code);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    private static void reference(DataOutputStream out, int tag, int... indices) throws IOException {
        out.writeByte(tag);
        for (int index : indices) out.writeShort(index);
    }
}
