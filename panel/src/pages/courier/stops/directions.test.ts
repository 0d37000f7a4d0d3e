import { expect, test } from 'vitest';
import { describeAddress, navigationLink, phoneLink } from './directions.ts';

const PLACE = {
  location: { latitude: 40.98, longitude: 29.02 },
  address: { line1: 'Moda Caddesi 12', city: 'Istanbul' },
};
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)';

test('each phone gets the link for its own navigation app, by coordinates if available', () => {
  expect(navigationLink(PLACE, ANDROID)).toBe('geo:40.98,29.02?q=40.98%2C29.02');
  expect(navigationLink(PLACE, IPHONE)).toBe('https://maps.apple.com/?daddr=40.98%2C29.02');
  expect(navigationLink(PLACE, 'Mozilla/5.0 (X11; Linux)')).toMatch(
    /google\.com\/maps\/dir\/\?api=1&destination=40\.98/,
  );
});

test('without coordinates the address is used, and without either there is no link', () => {
  const { address } = PLACE;
  expect(navigationLink({ address }, ANDROID)).toBe('geo:0,0?q=Moda%20Caddesi%2012%2C%20Istanbul');
  expect(navigationLink({}, ANDROID)).toBeUndefined();
});

test('a phone number is dialed as digits, with its access code after a pause', () => {
  expect(phoneLink('+90 (555) 000-00-00', '123 456')).toBe('tel:+905550000000,,123456');
  expect(phoneLink('0555 1')).toBe('tel:05551');
  expect(phoneLink('')).toBeUndefined();
});

test("the integrator's formatted address takes precedence over its parts", () => {
  expect(describeAddress({ formatted: 'Moda Cd. 12', line1: 'Moda' }).street).toEqual(['Moda Cd. 12']);
  expect(describeAddress({ line1: 'Moda 12', postalCode: '34710', city: 'Istanbul' }).street).toEqual([
    'Moda 12',
    '34710 Istanbul',
  ]);
});
