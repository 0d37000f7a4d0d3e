import { tmpdir } from 'node:os';
import path from 'node:path';

/** For NODE_COMPILE_CACHE, shared by all runs. Without it, a node spends most of its startup time compiling. */
export const COMPILE_CACHE = path.join(tmpdir(), 'waybill-node-compile-cache');
