import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refresh } from '../../api/queries.ts';
import type { ActOnAll, Failed } from './act-on-all.ts';

export interface BulkAction<Row> {
  stage: 'asked' | 'running' | 'ended';
  /** Those that it is done to. */
  rows: readonly Row[];
  done: number;
  failed: readonly Failed<Row>[];
}

interface Options<Row> {
  act: ActOnAll<Row>;
  /** The start of the paths whose cached answers it changes. */
  changes: readonly string[];
  /** Called when nothing failed. */
  onSuccess: (done: number) => void;
}

/** Something that is done to many rows: asked for, under way, and at its end with what failed. */
export function useBulkAction<Row>({ act, changes, onSuccess }: Options<Row>) {
  const queries = useQueryClient();
  const [action, setAction] = useState<BulkAction<Row>>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function run(rows: readonly Row[]) {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    let done = 0;
    setAction({ stage: 'running', rows, done, failed: [] });
    const failed = await act(rows, {
      signal,
      onDone(now) {
        done = now;
        setAction({ stage: 'running', rows, done, failed: [] });
      },
    });
    await refresh(queries, changes);
    const isWhole = failed.length === 0 && !signal.aborted;
    setAction(isWhole ? undefined : { stage: 'ended', rows, done, failed });
    if (isWhole) onSuccess(done);
  }

  return {
    action,
    ask: (rows: readonly Row[]) => setAction({ stage: 'asked', rows, done: 0, failed: [] }),
    run,
    stop: () => running.current?.abort(),
    close: () => setAction(undefined),
  };
}
