import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { bulkDeleteRecords } from './bulk-delete.ts';
import { bulkEditRecords } from './bulk-edit.ts';
import { getRecordCosts } from './costs.ts';
import { createRecord } from './create.ts';
import { deleteRecord } from './delete.ts';
import { deleteRecordResult } from './delete-result.ts';
import { exportRecords } from './export.ts';
import { listFieldValues } from './field-values.ts';
import { getRecord } from './get.ts';
import { listRecords } from './list.ts';
import { previewFilter } from './preview-filter.ts';
import { listRecordResults } from './results.ts';
import { discoverRecordSchema } from './schema.ts';
import { listRecordStepResults } from './step-results.ts';
import { listRecordTypes } from './types.ts';
import { updateRecord } from './update.ts';
import { uploadCsv } from './upload-csv.ts';

export const recordsGroup = {
  description: 'The data that flows run on: upload, filter and change records, and read the results of runs.',
  endpoints: [
    listRecords,
    createRecord,
    bulkDeleteRecords,
    bulkEditRecords,
    discoverRecordSchema,
    listFieldValues,
    listRecordTypes,
    uploadCsv,
    previewFilter,
    exportRecords,
    getRecord,
    updateRecord,
    deleteRecord,
    getRecordCosts,
    listRecordResults,
    deleteRecordResult,
    listRecordStepResults,
  ],
} as const satisfies EndpointGroup;
