import { evaluateAllAlerts } from '../../shared/domain/alerts/evaluate-alerts.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(evaluateAllAlerts);

/** Scheduled. Evaluates the alerts of the tenants that have some, and tells their receivers. */
const handle = (): Promise<void> => evaluateAllAlerts(productionRuntime());

export const handler = toWorker('evaluate-alerts', handle);
