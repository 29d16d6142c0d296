import { sweepInbox } from '../../shared/domain/run-waits/inbox-store.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(sweepInbox);

/** Scheduled. Reminds whoever is asked by runs, asks further people, and takes what nobody answered in time out of the inbox. */
const handle = (): Promise<void> => sweepInbox(productionRuntime(), new Date());

export const handler = toWorker('sweep-inbox', handle);
