import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
    /**
     * @param secret the webhook secret, as it was shown
     * @param body the bytes of the request, before anything parsed them
     * @param signature the header X-Service-Signature, or null
     */
    public static boolean isFromWaybill(String secret, byte[] body, String signature) throws GeneralSecurityException {
        if (secret == null || secret.isEmpty() || signature == null || !signature.matches("[0-9a-f]{64}")) {
            return false;
        }
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return MessageDigest.isEqual(mac.doFinal(body), HexFormat.of().parseHex(signature));
    }

    // java Verify.java vectors.json
    public static void main(String[] args) throws Exception {
        // Java has no JSON reader of its own; the vectors hold nothing that would need one.
        var pattern = Pattern.compile("\"name\": \"(.*)\",\\s+\"secretBase64\": \"(.*)\",\\s+\"bodyBase64\": \"(.*)\","
                + "\\s+\"signature\": \"(.*)\",\\s+\"valid\": (true|false)");
        var vectors = pattern.matcher(Files.readString(Path.of(args[0]))).results().toList();
        int wrong = 0;
        for (var vector : vectors) {
            var secret = new String(Base64.getDecoder().decode(vector.group(2)), StandardCharsets.UTF_8);
            var body = Base64.getDecoder().decode(vector.group(3));
            if (isFromWaybill(secret, body, vector.group(4)) != Boolean.parseBoolean(vector.group(5))) {
                System.err.println("mismatch: " + vector.group(1));
                wrong++;
            }
        }
        System.out.println((vectors.size() - wrong) + " of " + vectors.size() + " vectors agree");
        System.exit(!vectors.isEmpty() && wrong == 0 ? 0 : 1);
    }
}
