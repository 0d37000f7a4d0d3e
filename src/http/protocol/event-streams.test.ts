import { expect, test } from 'vitest';
import { StreamPages } from './event-streams.ts';

test('a stream ends with the time after which the browser connects again, and no new one is opened', async () => {
  const pages = new StreamPages<null>(1, () => undefined);
  const page = pages.open(null);
  if (page === undefined) throw new Error('no stream');
  pages.send(page, 'data: last\n\n');
  pages.close();
  let text = '';
  for await (const chunk of page) text += String(chunk);
  expect(text).toMatch(/data: last\n\nretry: \d+\n\n$/);
  expect(pages.open(null)).toBeUndefined();
});
