// A webhook attempt as a command that can be pasted into a terminal.

export interface CurlRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export function toCurl({ url, headers, body }: CurlRequest): string {
  const parts = [
    `curl -X POST ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Not -d, which drops line breaks: the signature is over exactly these bytes.
    `--data-binary ${quote(body)}`,
  ];
  return parts.join(' \\\n  ');
}

/** Nothing inside single quotes means anything to a shell, except the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
