// The stored list of actions. IndexedDB rather than localStorage: a change reads and writes in one transaction, so two
// tabs never overwrite each other's actions.
import { EMPTY_LIST, type ActList } from './action-list.ts';
import type { ActStore } from './action-queue.ts';

const DATABASE = 'waybill-courier';
const STORE = 'lists';
const KEY = 'acts';

export function openActStore(): ActStore {
  let opening: Promise<IDBDatabase> | undefined;
  const open = (): Promise<IDBDatabase> => {
    opening ??= openDatabase().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    read: async () => run(await open(), 'readonly', (list) => list),
    change: async (change) => run(await open(), 'readwrite', change),
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(toError(request.error)));
  });
}

function run(
  database: IDBDatabase,
  mode: 'readonly' | 'readwrite',
  change: (list: ActList) => ActList,
): Promise<ActList> {
  return new Promise((resolve, reject) => {
    // Strict: the change is on disk before the page confirms it to the courier.
    const transaction = database.transaction(STORE, mode, { durability: 'strict' });
    const store = transaction.objectStore(STORE);
    const request: IDBRequest<ActList | undefined> = store.get(KEY);
    let result = EMPTY_LIST;
    request.addEventListener('success', () => {
      result = change(request.result ?? EMPTY_LIST);
      if (mode === 'readwrite') store.put(result, KEY);
    });
    transaction.addEventListener('complete', () => resolve(result));
    transaction.addEventListener('abort', () => reject(toError(transaction.error)));
  });
}

function toError(error: DOMException | null): Error {
  return error ?? new Error('the browser did not say why');
}
