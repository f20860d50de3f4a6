// Does what its first argument says, with the others. "survived" is said where a limit should have come first.
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

switch (args[0])
{
    case "read":
        Console.WriteLine(File.ReadAllText(args[1]));
        break;
    case "list":
        Console.WriteLine(string.Join(",", Directory.GetFiles(args[1])));
        break;
    case "write":
        File.WriteAllText(args[1], "x");
        break;
    case "connect":
        new TcpClient(args[1], int.Parse(args[2])).Dispose();
        break;
    case "resolve":
        Console.WriteLine(Dns.GetHostAddresses(args[1])[0]);
        break;
    case "start":
        try
        {
            while (true)
            {
                Process.Start(args[1], args[2]);
            }
        }
        catch (Exception limit)
        {
            Console.WriteLine("cannot start more: " + limit.Message);
            Environment.Exit(1);
        }

        break;
    case "fill":
        Fill(args[1]);
        break;
    default:
        while (true)
        {
        }
}

static void Fill(string what)
{
    var kept = new List<object>();
    for (var i = 0; i < 40_000; i++)
    {
        switch (what)
        {
            case "disk" when i < 40:
                var file = File.Create("/tmp/f" + i);
                file.Write(new byte[20 << 20]);
                kept.Add(file);
                break;
            case "disk":
                Thread.Sleep(10);
                break;
            case "memory":
                var block = new byte[1 << 20];
                Array.Fill(block, (byte)1);
                kept.Add(block);
                break;
            default:
                new Thread(() => Thread.Sleep(100_000)) { IsBackground = true }.Start();
                break;
        }
    }

    Console.WriteLine("survived");
}
