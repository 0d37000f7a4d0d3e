// The stream that notifies pages of changes.
import { liveApi } from '../../contract/panel/live.ts';
import { refuse, refused } from '../../domain/refusals.ts';
import { STREAM_HEADERS } from '../protocol/event-streams.ts';
import { panelRoute } from './route.ts';

export const liveRoutes = [
  panelRoute(liveApi.open, {
    roles: ['owner', 'staff', 'operator'],
    handler: (deps, { session, client }) => {
      const stream = deps.live.open(session, client.lastEventId);
      return stream === undefined ? refused(refuse('SRV_001')) : { kind: 'stream', stream, headers: STREAM_HEADERS };
    },
  }),
];
