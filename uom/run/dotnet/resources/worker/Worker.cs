// Compiles C# programs and runs them, again and again, in one process: what is warm stays warm. Talks over a unix socket.
// Arguments: the socket, and the compiler's command line as `dotnet build` wrote it for this very project.
using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.ExceptionServices;
using System.Runtime.Loader;

namespace Uom.Worker;

public static class Worker
{
    public static int Main(string[] args)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(new UnixDomainSocketEndPoint(args[0]));
        using var stream = new NetworkStream(socket);
        var compiler = new Compiler(args[1]);
        Wire.Write(stream, new Answer("ready"));
        while (Wire.Read(stream) is { } request)
        {
            Wire.Write(stream, Run(compiler, request));
        }

        return 0;
    }

    private static Answer Run(Compiler compiler, Request request)
    {
        var clock = Stopwatch.StartNew();
        var compiled = compiler.Compile(request.Files);
        var compileMillis = clock.ElapsedMilliseconds;
        if (compiled.Image is null)
        {
            return new Answer("compile_error", compileMillis, Diagnostics: compiled.Problems);
        }

        clock.Restart();
        var (code, trace) = Call(compiled.Image, request);
        var status = trace.Length > 0 ? "exception" : code == 0 ? "ok" : "exit";
        return new Answer(status, compileMillis, clock.ElapsedMilliseconds, trace.Length > 0 ? trace : $"exit code {code}");
    }

    private static (int Code, string Trace) Call(byte[] image, Request request)
    {
        var folder = Directory.CreateTempSubdirectory("job");
        var printed = Console.Out;
        try
        {
            foreach (var (path, text) in request.Files.Where(f => !f.Path.EndsWith(".cs", StringComparison.Ordinal)))
            {
                File.WriteAllText(Path.Combine(folder.FullName, path), text);
            }

            CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = CultureInfo.InvariantCulture;
            Console.SetOut(TextWriter.Null);
            var program = new AssemblyLoadContext(null).LoadFromStream(new MemoryStream(image));
            string[] arguments = [folder.FullName, .. request.Arguments];
            return (program.EntryPoint!.Invoke(null, [arguments]) as int? ?? 0, "");
        }
        catch (Exception problem)
        {
            var inner = problem is TargetInvocationException { InnerException: { } thrown } ? thrown : problem;
            return (1, inner.ToString());
        }
        finally
        {
            Console.SetOut(printed);
            folder.Delete(recursive: true);
        }
    }
}
