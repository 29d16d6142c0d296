import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { cancelExport } from './cancel.ts';
import { createExport } from './create.ts';
import { getExport } from './get.ts';
import { listExports } from './list.ts';

export const exportsGroup = {
  description: 'Write records, results of batches, runs and feedback to files of any size.',
  endpoints: [createExport, listExports, getExport, cancelExport],
} as const satisfies EndpointGroup;
