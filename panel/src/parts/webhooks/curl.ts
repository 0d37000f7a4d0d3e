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
    // Not -d, which strips line breaks: the signature covers exactly these bytes.
    `--data-binary ${quote(body)}`,
  ];
  return parts.join(' \\\n  ');
}

/** Inside single quotes, a shell treats only the quote itself as special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
