// Shared by all report charts: an SVG with a text description, readable on light and dark pages.
import { formatCount } from '../../src/domain/counts.ts';

/** In series order, ours first. */
export const SERIES_CLASSES = ['ours', 'second', 'third', 'fourth'] as const;

const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .note { fill: #59636e; }
  .group { font-weight: 600; }
  .small { font-size: 10px; }
  .ours { fill: #2a78d6; }
  .other { fill: #9aa4af; }
  .second { fill: #b26d12; }
  .third { fill: #8a8f98; }
  .fourth { fill: #54a37b; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .ours { fill: #4c9aff; }
    .other { fill: #656c76; }
    .second { fill: #e0a04a; }
  }`;

export interface Picture {
  title: string;
  /** Everything the picture shows, as text. */
  description: string;
  width: number;
  height: number;
}

/** A standalone SVG file. */
export function drawPicture({ title, description, width, height }: Picture, lines: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${escapeXml(description)}</desc>`,
    `<style>${STYLE}\n</style>`,
    ...lines,
    '</svg>\n',
  ].join('\n');
}

/** An inline SVG that uses the page's colors. */
export function drawInline({ title, description, width, height }: Picture, content: string): string {
  return (
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(`${title}. ${description}`)}" preserveAspectRatio="xMidYMid meet">` +
    `${content}</svg>`
  );
}

export interface TextPlace {
  x: number;
  y: number;
  style?: string;
  anchor?: 'end' | 'middle';
}

export function textAt({ x, y, style, anchor }: TextPlace, text: string): string {
  const attributes = [
    `x="${round(x)}" y="${round(y)}"`,
    ...(style === undefined ? [] : [`class="${style}"`]),
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
  ];
  return `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`;
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
  style: string;
  radius?: number;
}

export function rectangle({ x, y, width, height, style, radius }: Rectangle, hint?: string): string {
  const corners = radius === undefined ? '' : ` rx="${radius}"`;
  const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
  const content = hint === undefined ? '/>' : `><title>${escapeXml(hint)}</title></rect>`;
  return `<rect ${place}${corners} class="${style}"${content}`;
}

/** Formats a measurement with three significant digits. */
export function showValue(value: number): string {
  if (value >= 1000) return formatCount(Math.round(value));
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

/** Formats integers as counts, without decimals. */
export function showNumber(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : showValue(value);
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function round(value: number): number {
  return Number(value.toFixed(1));
}
