package uom.worker;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jdt.core.compiler.CategorizedProblem;
import org.eclipse.jdt.internal.compiler.ClassFile;
import org.eclipse.jdt.internal.compiler.CompilationResult;
import org.eclipse.jdt.internal.compiler.Compiler;
import org.eclipse.jdt.internal.compiler.DefaultErrorHandlingPolicies;
import org.eclipse.jdt.internal.compiler.env.ICompilationUnit;
import org.eclipse.jdt.internal.compiler.impl.CompilerOptions;
import org.eclipse.jdt.internal.compiler.lookup.LookupEnvironment;
import org.eclipse.jdt.internal.compiler.lookup.ModuleBinding;
import org.eclipse.jdt.internal.compiler.problem.DefaultProblem;
import org.eclipse.jdt.internal.compiler.problem.DefaultProblemFactory;

/** Compiles the files of a bundle from memory to memory with the Eclipse compiler. */
final class BundleCompiler {
    /** One error. Line and column start at 1; 0 where the compiler names no place. */
    record Problem(String file, int line, int column, String message) {}

    /** Class files by name with dots; worth nothing when there are errors. */
    record Compiled(Map<String, byte[]> classes, List<Problem> errors) {}

    private final ClassPathIndex classPath;

    BundleCompiler(ClassPathIndex classPath) {
        this.classPath = classPath;
    }

    /** `release` sets the language and the class file version; the library is always that of this JVM. */
    Compiled compile(Map<String, String> sources, int release) {
        Map<String, byte[]> classes = new HashMap<>();
        List<Problem> errors = new ArrayList<>();
        ICompilationUnit[] units = sources.entrySet().stream()
                .map(entry -> new SourceFile(entry.getKey(), entry.getValue()))
                .toArray(ICompilationUnit[]::new);
        try {
            Compiler compiler = new Compiler(
                    classPath,
                    DefaultErrorHandlingPolicies.proceedWithAllProblems(),
                    options(release),
                    result -> accept(result, classes, errors),
                    new DefaultProblemFactory(Locale.ENGLISH),
                    new PrintWriter(new StringWriter()),
                    null);
            compiler.useSingleThread = true;
            compiler.compile(units);
        } catch (RuntimeException internal) {
            StringWriter trace = new StringWriter();
            internal.printStackTrace(new PrintWriter(trace));
            errors.add(new Problem("", 0, 0, "The compiler failed: " + trace));
        }
        return new Compiled(classes, errors);
    }

    private static void accept(CompilationResult result, Map<String, byte[]> classes, List<Problem> errors) {
        CategorizedProblem[] problems = result.getErrors();
        if (problems != null) {
            for (CategorizedProblem problem : problems) {
                int column = problem instanceof DefaultProblem place ? place.getSourceColumnNumber() : 0;
                String file = new String(problem.getOriginatingFileName());
                errors.add(new Problem(file, problem.getSourceLineNumber(), Math.max(0, column), problem.getMessage()));
            }
        }
        for (ClassFile file : result.getClassFiles()) {
            classes.put(new String(file.fileName()).replace('/', '.'), file.getBytes());
        }
    }

    private static CompilerOptions options(int release) {
        String version = Integer.toString(release);
        CompilerOptions options = new CompilerOptions(Map.of(
                CompilerOptions.OPTION_Source, version,
                CompilerOptions.OPTION_Compliance, version,
                CompilerOptions.OPTION_TargetPlatform, version,
                CompilerOptions.OPTION_MethodParametersAttribute, CompilerOptions.GENERATE,
                CompilerOptions.OPTION_LineNumberAttribute, CompilerOptions.GENERATE,
                CompilerOptions.OPTION_SourceFileAttribute, CompilerOptions.GENERATE,
                CompilerOptions.OPTION_LocalVariableAttribute, CompilerOptions.GENERATE));
        options.maxProblemsPerUnit = 1000;
        return options;
    }

    private record SourceFile(String path, String text) implements ICompilationUnit {
        @Override
        public char[] getContents() {
            return text.toCharArray();
        }

        @Override
        public char[] getMainTypeName() {
            String name = path.substring(path.lastIndexOf('/') + 1);
            return name.substring(0, name.length() - ".java".length()).toCharArray();
        }

        @Override
        public char[][] getPackageName() {
            return null; // not compared with the folder
        }

        @Override
        public char[] getFileName() {
            return path.toCharArray();
        }

        @Override
        public ModuleBinding module(LookupEnvironment environment) {
            return environment.UnNamedModule;
        }

        @Override
        public boolean ignoreOptionalProblems() {
            return true;
        }
    }
}
