package uom.worker;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/** Defines the classes of one bundle, guarded; everything else comes from the worker's class path. */
final class BundleLoader extends ClassLoader {
    private static final String GUARD = "uom/worker/Guard";
    private final Map<String, byte[]> classes;
    private final int bundle;

    BundleLoader(Map<String, byte[]> classes, int bundle) {
        super("bundle-" + bundle, BundleLoader.class.getClassLoader());
        this.classes = classes;
        this.bundle = bundle;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] guarded = guard(bytes);
            return defineClass(name, guarded, 0, guarded.length);
        }
    }

    /** The inserted calls leave the stack as it was, so the frames that the compiler wrote stay right. */
    private byte[] guard(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(SpringAsmInfo.ASM_VERSION, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        return new GuardedMethod(
                                super.visitMethod(access, name, descriptor, signature, exceptions), bundle);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class GuardedMethod extends MethodVisitor {
        private final Set<Label> passed = new HashSet<>();
        private final int bundle;

        GuardedMethod(MethodVisitor next, int bundle) {
            super(SpringAsmInfo.ASM_VERSION, next);
            this.bundle = bundle;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            tick();
        }

        @Override
        public void visitLabel(Label label) {
            passed.add(label);
            super.visitLabel(label);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            if (passed.contains(label)) {
                tick();
            }
            super.visitJumpInsn(opcode, label);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            String call = owner + "." + name;
            switch (call) {
                case "java/lang/System.exit" -> guard("exit", "(I)V");
                case "java/lang/Runtime.exit", "java/lang/Runtime.halt" -> guard("exit", "(Ljava/lang/Runtime;I)V");
                case "java/lang/Runtime.addShutdownHook" ->
                    guard("addShutdownHook", "(Ljava/lang/Runtime;Ljava/lang/Thread;)V");
                default -> super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitMaxs(maxStack + 1, maxLocals);
        }

        private void tick() {
            super.visitLdcInsn(bundle);
            guard("tick", "(I)V");
        }

        private void guard(String name, String descriptor) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, GUARD, name, descriptor, false);
        }
    }
}
