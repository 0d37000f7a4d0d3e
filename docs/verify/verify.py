import base64
import hashlib
import hmac
import json
import re
import sys


def is_from_waybill(secret: str, body: bytes, signature: str | None) -> bool:
    """secret: as it was shown. body: the bytes of the request, before anything parsed them.
    signature: the header X-Service-Signature."""
    if not secret or not re.fullmatch(r"[0-9a-f]{64}", signature or ""):
        return False
    expected = hmac.new(secret.encode("utf-8"), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)


# python3 verify.py vectors.json
if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    wrong = [
        vector["name"]
        for vector in vectors
        if is_from_waybill(
            base64.b64decode(vector["secretBase64"]).decode("utf-8"),
            base64.b64decode(vector["bodyBase64"]),
            vector["signature"],
        )
        != vector["valid"]
    ]
    for name in wrong:
        print(f"mismatch: {name}", file=sys.stderr)
    print(f"{len(vectors) - len(wrong)} of {len(vectors)} vectors agree")
    sys.exit(0 if vectors and not wrong else 1)
