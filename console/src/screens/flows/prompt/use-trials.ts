import { useEffect, useRef, useState } from 'react';
import { emptyFlowRun, type FollowedFlowRun, withFlowEvents } from '../../../run/flow-run.ts';
import { readInBatches } from '../../../run/read-in-batches.ts';
import { type DispatchRunBody, useDispatch } from '../../../run/use-dispatch.ts';

export interface Trial {
  key: string;
  model: string;
  record: { name: string; sent: DispatchRunBody['record'] };
}

export interface TrialState {
  run: FollowedFlowRun;
  status: 'queued' | 'running' | 'ended' | 'stopped';
  error?: Error | undefined;
}

/** So many runs at the same time. */
const atOnceMax = 4;

/** Runs of a prompt beside each other. Leaving the page, or `stop`, cancels them. */
export function useTrials() {
  const dispatch = useDispatch();
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const [states, setStates] = useState<ReadonlyMap<string, TrialState>>(new Map());
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  async function runOne(
    trial: Trial,
    request: DispatchRunBody,
    signal: AbortSignal,
  ): Promise<FollowedFlowRun> {
    const change = (edit: (state: TrialState) => TrialState) => {
      if (current.current?.signal !== signal) return;
      setStates((before) => {
        const state = before.get(trial.key);
        return state ? new Map(before).set(trial.key, edit(state)) : before;
      });
    };
    let run = emptyFlowRun;
    change((state) => ({ ...state, status: 'running' }));
    try {
      await readInBatches(dispatch(request, signal), (more) => {
        run = withFlowEvents(run, more);
        change((state) => ({ ...state, run }));
      });
      change((state) => ({ ...state, status: 'ended' }));
    } catch (caught) {
      const error = signal.aborted ? {} : { error: caught as Error };
      change((state) => ({ ...state, ...error, status: signal.aborted ? 'stopped' : 'ended' }));
    }
    return run;
  }

  /** @param onEnd Gets each run that has ended. */
  async function start(
    next: readonly Trial[],
    requestFor: (trial: Trial) => DispatchRunBody,
    onEnd: (trial: Trial, run: FollowedFlowRun) => void,
  ) {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    const { signal } = controller;
    setTrials(next);
    setStates(new Map(next.map(({ key }) => [key, { run: emptyFlowRun, status: 'queued' }])));
    const queue = [...next];
    const work = async () => {
      for (let trial = queue.shift(); trial && !signal.aborted; trial = queue.shift())
        onEnd(trial, await runOne(trial, requestFor(trial), signal));
    };
    await Promise.all(Array.from({ length: atOnceMax }, work));
  }

  function stop() {
    current.current?.abort();
    setStates(
      (before) =>
        new Map(
          [...before].map(([key, state]) => [
            key,
            state.status === 'ended' ? state : { ...state, status: 'stopped' as const },
          ]),
        ),
    );
  }
  const isRunning = [...states.values()].some(({ status }) => status === 'queued' || status === 'running');
  return { trials, states, isRunning, start, stop };
}
