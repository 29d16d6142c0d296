import type { WaitsPort } from '../../adapters/ports/waits-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type WaitOwner, waitStore } from './wait-store.ts';

/** The waits of a run. */
export const waitsPort = /* @__PURE__ */ using([waitStore], (scope: Scope, owner: WaitOwner): WaitsPort => {
  const store = waitStore(scope);
  const { runId } = owner;
  return {
    open: (path, wait) => store.open(owner, path, wait),
    announced: (path) => store.markAnnounced({ runId, path }),
    async expire(path, answer) {
      const wait = await store.answer({ runId, path }, answer);
      if (!wait) throw new StepError('What the run waited for was deleted');
      return { ...wait, canResume: true };
    },
    async close(path) {
      const nobody = { choice: null, values: null, comment: null, answeredBy: null };
      await store.answer({ runId, path }, { ...nobody, answeredAt: scope.now().toISOString() });
    },
  };
});

const noWait = async (): Promise<never> => {
  throw new StepError(
    'The flow waits for somebody, which a flow that runs as a tool cannot; run it by itself',
  );
};

/** Of a run that cannot be suspended. */
export const noWaits: WaitsPort = { open: noWait, announced: noWait, expire: noWait, close: async () => {} };
