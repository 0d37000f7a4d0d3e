import { expect, test } from 'vitest';
import { DatabaseUrlError, readDatabaseUrl } from './database-url.ts';

const urlsOf = (text: string): string[] => readDatabaseUrl(text).servers.map(({ url }) => url);
const placesOf = (text: string): string[] => readDatabaseUrl(text).servers.map(({ place }) => place);

test('one server is left as it is', () => {
  const text = 'postgresql://way%40bill:p%2Fq@db.example:5433/orders?sslmode=require';
  expect(urlsOf(text)).toEqual([text]);
  expect(readDatabaseUrl(text)).toMatchObject({ mustBeWritable: false, session: {} });
  expect(placesOf('postgresql://waybill@localhost/waybill?host=%2Frun%2Fpg&port=5432')).toEqual(['/run/pg']);
  expect(urlsOf('postgresql://waybill@localhost/waybill?host=%2Frun%2Fpg&port=5432')).toEqual([
    'postgresql://waybill@localhost/waybill?host=%2Frun%2Fpg&port=5432',
  ]);
});

test.each([
  [
    'postgresql://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write',
    ['postgresql://u:p@h1:5432/db', 'postgresql://u:p@h2:5433/db'],
    ['h1:5432', 'h2:5433'],
  ],
  ['postgres://[::1]:5432,h2/db', ['postgres://[::1]:5432/db', 'postgres://h2/db'], ['[::1]:5432', 'h2']],
  [
    'postgresql://u@/db?host=h1,h2&port=5432,5433&sslmode=disable'.replace('u@/', 'u@x/'),
    ['postgresql://u@x/db?sslmode=disable&host=h1&port=5432', 'postgresql://u@x/db?sslmode=disable&host=h2&port=5433'],
    ['h1:5432', 'h2:5433'],
  ],
  [
    'postgresql:///db?host=/run/a,/run/b&port=6000',
    ['postgresql:///db?host=%2Frun%2Fa&port=6000', 'postgresql:///db?host=%2Frun%2Fb&port=6000'],
    ['/run/a', '/run/b'],
  ],
])('several servers: %s', (text, urls, places) => {
  expect(urlsOf(text)).toEqual(urls);
  expect(placesOf(text)).toEqual(places);
  expect(readDatabaseUrl(text).mustBeWritable).toBe(true);
});

test('settings of the session are taken out of the URL, and every connection has a name of its own', () => {
  const options = encodeURIComponent(String.raw`-c search_path=a\ b -cjit=off --work-mem=8MB`);
  const text = `postgresql://u@h/db?options=${options}&statement_timeout=7000&application_name=x&target_session_attrs=primary`;
  expect(readDatabaseUrl(text)).toEqual({
    servers: [{ url: 'postgresql://u@h/db', place: 'h' }],
    mustBeWritable: true,
    session: { search_path: 'a b', jit: 'off', work_mem: '8MB', statement_timeout: '7000' },
  });
});

test.each([
  ['mysql://u@h/db', /^must look like postgresql:/],
  ['postgresql://u@h1:5432,h2:no/db', /^names the server "h2:no", which is invalid\.$/],
  ['postgresql://u@h/db?target_session_attrs=standby', /^must have target_session_attrs=read-write, primary or any/],
  ['postgresql://u@h/db?host=a,b,c&port=1,2', /^lists 3 hosts and 2 ports/],
  ['postgresql://u@h/db?options=-d', /^must have options such as "-c name=value"/],
])('%s is refused', (text, sentence) => {
  expect(() => readDatabaseUrl(text)).toThrow(DatabaseUrlError);
  expect(() => readDatabaseUrl(text)).toThrow(sentence);
});
