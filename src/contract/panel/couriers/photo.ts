import { z } from 'zod';

/** A new photo has a new address, so that browsers do not show the previous one. */
export const photoQuery = z.object({ at: z.string().optional().describe('When the photo was last changed') });
