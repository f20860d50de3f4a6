// Requests and answers: a request is counted fields, an answer a counted JSON document. Integers are big-endian.
using System.Buffers.Binary;
using System.Text;
using System.Text.Json;

namespace Uom.Worker;

public sealed record SourceFile(string Path, string Text);

/// <summary>Files to compile (.cs) and to lay down beside the program (others), and what follows their folder in its arguments.</summary>
public sealed record Request(IReadOnlyList<string> Arguments, IReadOnlyList<SourceFile> Files);

public sealed record Problem(string File, int Line, int Column, string Code, string Message);

public sealed record Answer(
    string Status, long CompileMs = 0, long RunMs = 0, string Trace = "", IReadOnlyList<Problem>? Diagnostics = null);

public static class Wire
{
    private static readonly JsonSerializerOptions Names = new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };

    /// <summary>Null when the other side has closed the socket.</summary>
    public static Request? Read(Stream stream)
    {
        try
        {
            var arguments = Many(stream, Text);
            return new Request(arguments, Many(stream, s => new SourceFile(Text(s), Text(s))));
        }
        catch (EndOfStreamException)
        {
            return null;
        }
    }

    public static void Write(Stream stream, Answer answer)
    {
        var content = JsonSerializer.SerializeToUtf8Bytes(answer, Names);
        Span<byte> length = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(length, content.Length);
        stream.Write(length);
        stream.Write(content);
    }

    private static List<T> Many<T>(Stream stream, Func<Stream, T> one) =>
        [.. Enumerable.Range(0, Number(stream)).Select(_ => one(stream))];

    private static string Text(Stream stream)
    {
        var content = new byte[Number(stream)];
        stream.ReadExactly(content);
        return Encoding.UTF8.GetString(content);
    }

    private static int Number(Stream stream)
    {
        Span<byte> bytes = stackalloc byte[4];
        stream.ReadExactly(bytes);
        return BinaryPrimitives.ReadInt32BigEndian(bytes);
    }
}
