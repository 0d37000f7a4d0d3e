// Reporting the courier's position: repeated while it is known, never from a stored position.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPanelService, useChromium } from '../browser/browser.ts';
import { openCourierScene } from '../scenes/courier.ts';
import type { TestService } from '../../harness/service/service.ts';

const SIGN_OF_LIFE_MS = 45_000;
const { visitAs } = useChromium();
let service: TestService;

beforeAll(async () => {
  service = await startPanelService({ roles: ['api', 'deliver'] });
});
afterAll(() => service.stop());

test('a phone that stands still sends heartbeats, and sends none once location permission is revoked', async () => {
  const scene = await openCourierScene({ service, visitAs });
  const phone = await scene.open();
  await phone.context().grantPermissions(['geolocation']);
  await phone.context().setGeolocation({ latitude: 40.98, longitude: 29.02 });
  // The test controls the phone's clock.
  await phone.clock.install();
  let reports = 0;
  phone.on('request', (request) => {
    if (request.url().endsWith('/api/courier/position')) reports += 1;
  });
  await phone.reload();
  await expect.poll(() => reports).toBe(1);
  await phone.clock.fastForward(SIGN_OF_LIFE_MS);
  await expect.poll(() => reports).toBe(2);

  await phone.context().clearPermissions();
  await phone.clock.fastForward(SIGN_OF_LIFE_MS);
  await phone.getByText('Location is off').waitFor();
  await phone.clock.fastForward(SIGN_OF_LIFE_MS);
  await phone.waitForResponse('**/api/courier/work');
  expect(reports).toBe(2);
});
