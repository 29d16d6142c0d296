import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createFlow } from './create.ts';
import { deleteFlow } from './delete.ts';
import { exportFlowRuntime } from './export-runtime.ts';
import { getFlow } from './get.ts';
import { listFlows } from './list.ts';
import { publishFlow } from './publish.ts';
import { recomputeFlow } from './recompute.ts';
import { runFlowOnRecordType } from './run-on-record-type.ts';
import { listFlowStepResults } from './step-results.ts';
import { updateFlow } from './update.ts';

export const flowsGroup = {
  description:
    'Define, validate and publish flows of steps, run them on records and read their step results.',
  endpoints: [
    listFlows,
    createFlow,
    getFlow,
    updateFlow,
    deleteFlow,
    publishFlow,
    exportFlowRuntime,
    runFlowOnRecordType,
    recomputeFlow,
    listFlowStepResults,
  ],
} as const satisfies EndpointGroup;
