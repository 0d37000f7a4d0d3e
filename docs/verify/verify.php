<?php
declare(strict_types=1);

/**
 * $secret: as it was shown. $body: the bytes of the request, file_get_contents('php://input').
 * $signature: the header, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null.
 */
function isFromWaybill(string $secret, string $body, ?string $signature): bool
{
    if ($secret === '' || preg_match('/\A[0-9a-f]{64}\z/', $signature ?? '') !== 1) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', $body, $secret), $signature);
}

// php verify.php vectors.json
if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $vectors = json_decode(file_get_contents($argv[1]), true, flags: JSON_THROW_ON_ERROR)['vectors'];
    $wrong = array_filter($vectors, fn (array $vector): bool => isFromWaybill(
        base64_decode($vector['secretBase64']),
        base64_decode($vector['bodyBase64']),
        $vector['signature'],
    ) !== $vector['valid']);
    foreach ($wrong as $vector) {
        fwrite(STDERR, "mismatch: {$vector['name']}\n");
    }
    printf("%d of %d vectors agree\n", count($vectors) - count($wrong), count($vectors));
    exit(count($vectors) > 0 && count($wrong) === 0 ? 0 : 1);
}
