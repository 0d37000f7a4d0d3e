// The receiver check, with live progress.
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  receiverCheckApi,
  type ReceiverCheckCase,
  type ReceiverCheckLine,
} from '../../../../src/contract/panel/webhooks/receiver-check.ts';
import type { EndpointKind } from '../../../../src/domain/webhooks/events.ts';
import type { CheckCase } from '../../../../src/domain/webhooks/receiver-check.ts';
import { receiverTexts } from '../../texts/webhooks/webhooks.ts';
import { ApiError } from '../api-error.ts';
import { api } from '../client.ts';

export interface CheckProgress {
  url: string;
  cases: readonly CheckCase[];
  results: readonly ReceiverCheckCase[];
  isDone: boolean;
}

export function useReceiverCheck() {
  const [progress, setProgress] = useState<CheckProgress | null>(null);
  const abort = useRef<AbortController | null>(null);
  // Leaving the page aborts the check.
  useEffect(() => () => abort.current?.abort(), []);
  const check = useMutation({
    mutationFn: async (endpoint: EndpointKind): Promise<void> => {
      const controller = new AbortController();
      abort.current = controller;
      let isDone = false;
      setProgress(null);
      const onLine = (line: ReceiverCheckLine): void => {
        isDone ||= line.kind === 'done';
        setProgress((known) => takeIn(known, line));
      };
      await api.readLines(receiverCheckApi.run, { body: { endpoint }, signal: controller.signal, onLine });
      if (!isDone) throw new ApiError(receiverTexts.interrupted, { status: 0, code: 'NETWORK' });
    },
  });
  return { progress, check };
}

function takeIn(known: CheckProgress | null, line: ReceiverCheckLine): CheckProgress | null {
  switch (line.kind) {
    case 'begun':
      return { url: line.url, cases: line.cases, results: [], isDone: false };
    case 'case':
      return known && { ...known, results: [...known.results, line] };
    case 'done':
      return known && { ...known, isDone: true };
  }
}
