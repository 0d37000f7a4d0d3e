#nullable enable
using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

public static class Verify
{
    /// <param name="secret">The webhook secret, as it was shown.</param>
    /// <param name="body">The bytes of the request, before anything parsed them.</param>
    /// <param name="signature">The header X-Service-Signature.</param>
    public static bool IsFromWaybill(string secret, byte[] body, string? signature)
    {
        if (string.IsNullOrEmpty(secret) || !Regex.IsMatch(signature ?? "", @"\A[0-9a-f]{64}\z")) return false;
        using var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret));
        var expected = BitConverter.ToString(hmac.ComputeHash(body)).Replace("-", "").ToLowerInvariant();
        return CryptographicOperations.FixedTimeEquals(Encoding.ASCII.GetBytes(expected), Encoding.ASCII.GetBytes(signature!));
    }

    // dotnet run -- vectors.json
    public static int Main(string[] args)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(args[0]));
        var vectors = document.RootElement.GetProperty("vectors").EnumerateArray().ToList();
        var wrong = vectors.Where(vector => IsFromWaybill(
            Encoding.UTF8.GetString(vector.GetProperty("secretBase64").GetBytesFromBase64()),
            vector.GetProperty("bodyBase64").GetBytesFromBase64(),
            vector.GetProperty("signature").GetString()) != vector.GetProperty("valid").GetBoolean()).ToList();
        foreach (var vector in wrong) Console.Error.WriteLine($"mismatch: {vector.GetProperty("name").GetString()}");
        Console.WriteLine($"{vectors.Count - wrong.Count} of {vectors.Count} vectors agree");
        return vectors.Count > 0 && wrong.Count == 0 ? 0 : 1;
    }
}
