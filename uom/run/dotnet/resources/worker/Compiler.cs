// The compiler of the SDK with the options, references and generators that `dotnet build` gives it.
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;
using System.Reflection;
using System.Runtime.Loader;
using System.Text;

namespace Uom.Worker;

/// <summary>Where it does not compile, `Image` is null.</summary>
public sealed record Compiled(byte[]? Image, IReadOnlyList<Problem> Problems);

public sealed class Compiler
{
    private const string AssemblyName = "UomSource";
    private readonly CSharpCommandLineArguments _options;
    private readonly CSharpCompilation _empty;

    /// <summary>`commandLine` is a file with one argument a line.</summary>
    public Compiler(string commandLine)
    {
        var folder = Path.GetDirectoryName(Path.GetFullPath(commandLine))!;
        _options = CSharpCommandLineParser.Default.Parse(File.ReadAllLines(commandLine), folder, sdkDirectory: null);
        var references = _options.MetadataReferences
            .Where(r => !Path.GetFileName(r.Reference).StartsWith("Microsoft.CodeAnalysis", StringComparison.Ordinal))
            .Select(r => MetadataReference.CreateFromFile(r.Reference, r.Properties));
        // What the SDK writes itself, such as the implicit usings; the rest of its sources is this worker.
        var generated = _options.SourceFiles
            .Where(f => f.Path.EndsWith(".GlobalUsings.g.cs", StringComparison.Ordinal))
            .Select(f => Parse(f.Path, File.ReadAllText(f.Path)));
        _empty = CSharpCompilation.Create(AssemblyName, generated, references, _options.CompilationOptions.WithMainTypeName(null));
    }

    public Compiled Compile(IEnumerable<SourceFile> files)
    {
        var trees = files.Where(f => f.Path.EndsWith(".cs", StringComparison.Ordinal)).Select(f => Parse(f.Path, f.Text));
        var program = _empty.AddSyntaxTrees(trees);
        var found = Emit(program);
        // What generators add can only be missed, never shadowed: without them the program does not compile.
        return found.Image is null ? Emit(WithGenerated(program)) : found;
    }

    private static Compiled Emit(CSharpCompilation program)
    {
        using var image = new MemoryStream();
        var result = program.Emit(image);
        return result.Success
            ? new Compiled(image.ToArray(), [])
            : new Compiled(null, [.. result.Diagnostics.Where(d => d.Severity == DiagnosticSeverity.Error).Select(Told)]);
    }

    private SyntaxTree Parse(string path, string text) =>
        CSharpSyntaxTree.ParseText(SourceText.From(text, Encoding.UTF8), _options.ParseOptions, path);

    private CSharpCompilation WithGenerated(CSharpCompilation program)
    {
        var loader = new Loader();
        var generators = _options.AnalyzerReferences
            .SelectMany(r => new AnalyzerFileReference(r.FilePath, loader).GetGenerators(LanguageNames.CSharp));
        CSharpGeneratorDriver.Create(generators, parseOptions: _options.ParseOptions)
            .RunGeneratorsAndUpdateCompilation(program, out var updated, out _);
        return (CSharpCompilation)updated;
    }

    private static Problem Told(Diagnostic diagnostic)
    {
        var place = diagnostic.Location.GetLineSpan();
        var (line, column) = place.IsValid ? (place.StartLinePosition.Line + 1, place.StartLinePosition.Character + 1) : (0, 0);
        return new Problem(place.Path ?? "", line, column, diagnostic.Id, diagnostic.GetMessage());
    }

    private sealed class Loader : IAnalyzerAssemblyLoader
    {
        public void AddDependencyLocation(string fullPath)
        {
        }

        public Assembly LoadFromPath(string fullPath) => AssemblyLoadContext.Default.LoadFromAssemblyPath(fullPath);
    }
}
