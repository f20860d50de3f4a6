package uom.worker;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleReference;
import java.lang.module.ResolvedModule;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipFile;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFileReader;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFormatException;
import org.eclipse.jdt.internal.compiler.env.INameEnvironment;
import org.eclipse.jdt.internal.compiler.env.NameEnvironmentAnswer;

/**
 * What the compiler may see besides the bundle: the JDK and the jars of the class path, names with slashes.
 *
 * <p>Kept for the life of the worker, with every class file that was ever asked for: the compiler's own environment
 * opens all jars and the module image again for each compilation, which costs more than compiling.
 */
final class ClassPathIndex implements INameEnvironment {
    private final Map<String, ZipFile> jarOfClass = new HashMap<>();
    private final Map<String, Module> moduleOfPackage = new HashMap<>();
    private final Set<String> packages = new HashSet<>();
    private final Map<String, NameEnvironmentAnswer> answers = new HashMap<>();
    private final Set<String> absent = new HashSet<>();

    ClassPathIndex(List<Path> jars) throws IOException {
        for (Path jar : jars) {
            index(new ZipFile(jar.toFile()));
        }
        for (ResolvedModule resolved : ModuleLayer.boot().configuration().modules()) {
            ModuleReference reference = resolved.reference();
            Module module = ModuleLayer.boot().findModule(reference.descriptor().name()).orElseThrow();
            for (String name : module.getPackages()) {
                String slashed = name.replace('.', '/');
                moduleOfPackage.put(slashed, module);
                addPackage(slashed);
            }
        }
    }

    private void index(ZipFile jar) {
        jar.stream().map(entry -> entry.getName()).filter(ClassPathIndex::isClass).forEach(name -> {
            String type = name.substring(0, name.length() - ".class".length());
            jarOfClass.putIfAbsent(type, jar);
            addPackage(packageOf(type));
        });
    }

    private static boolean isClass(String entry) {
        return entry.endsWith(".class") && !entry.startsWith("META-INF/") && !entry.equals("module-info.class");
    }

    private static String packageOf(String type) {
        return type.substring(0, Math.max(0, type.lastIndexOf('/')));
    }

    private void addPackage(String name) {
        while (!name.isEmpty() && packages.add(name)) {
            name = packageOf(name);
        }
    }

    @Override
    public NameEnvironmentAnswer findType(char[][] compoundName) {
        return find(join(compoundName, null));
    }

    @Override
    public NameEnvironmentAnswer findType(char[] typeName, char[][] packageName) {
        return find(join(packageName, typeName));
    }

    @Override
    public boolean isPackage(char[][] parentPackageName, char[] packageName) {
        return packages.contains(join(parentPackageName, packageName));
    }

    @Override
    public void cleanup() {
        // Called after each compilation; what was read stays true.
    }

    private NameEnvironmentAnswer find(String type) {
        NameEnvironmentAnswer known = answers.get(type);
        if (known != null || absent.contains(type)) {
            return known;
        }
        NameEnvironmentAnswer answer = read(type);
        if (answer != null) {
            answers.put(type, answer);
        } else if (absent.size() < 100_000) { // names of bundles end up here too
            absent.add(type);
        }
        return answer;
    }

    private NameEnvironmentAnswer read(String type) {
        try {
            byte[] bytes = bytes(type);
            return bytes == null
                    ? null
                    : new NameEnvironmentAnswer(new ClassFileReader(bytes, (type + ".class").toCharArray()), null);
        } catch (IOException | ClassFormatException unreadable) {
            return null;
        }
    }

    private byte[] bytes(String type) throws IOException {
        ZipFile jar = jarOfClass.get(type);
        if (jar != null) {
            try (InputStream stream = jar.getInputStream(jar.getEntry(type + ".class"))) {
                return stream.readAllBytes();
            }
        }
        Module module = moduleOfPackage.get(packageOf(type));
        if (module == null) {
            return null;
        }
        try (InputStream stream = module.getResourceAsStream(type + ".class")) {
            return stream == null ? null : stream.readAllBytes();
        }
    }

    private static String join(char[][] parts, char[] last) {
        StringBuilder name = new StringBuilder(64);
        if (parts != null) {
            for (char[] part : parts) {
                name.append(name.isEmpty() ? "" : "/").append(part);
            }
        }
        if (last != null) {
            name.append(name.isEmpty() ? "" : "/").append(last);
        }
        return name.toString();
    }
}
