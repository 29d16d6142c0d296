import type { OperationEvent } from '../../api/api.ts';

/** What happens in a run of a flow or an agent. */
export type RunEvent = OperationEvent<'dispatch.run'>;
export type RunEventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** What was tried until a step, or a response of a model, succeeded or failed for good. */
export type Attempts = NonNullable<RunEventOf<'step_complete'>['attempts']>;
