import type { AnyEndpoint } from '../shared/platform/http/endpoint.ts';
import { apiKeyAnalytics } from './api-keys/analytics.ts';
import { createApiKey } from './api-keys/create.ts';
import { deleteApiKey } from './api-keys/delete.ts';
import { getApiKey } from './api-keys/get.ts';
import { apiKeyAnalyticsOfOne } from './api-keys/get-analytics.ts';
import { listApiKeys } from './api-keys/list.ts';
import { apiKeyOptions } from './api-keys/options.ts';
import { regenerateApiKey } from './api-keys/regenerate.ts';
import { revealApiKey } from './api-keys/reveal.ts';
import { updateApiKey } from './api-keys/update.ts';
import { cancelBatch } from './batches/cancel.ts';
import { batchCost } from './batches/cost.ts';
import { runBatchFlow } from './batches/run-flow.ts';
import { batchStatus } from './batches/status.ts';
import { batchSummary } from './batches/summary.ts';
import { dispatch } from './dispatch/run.ts';
import { getFlowVersion } from './flow-versions/get.ts';
import { getPublishedFlowVersion } from './flow-versions/get-published.ts';
import { listFlowVersions } from './flow-versions/list.ts';
import { publishFlowVersion } from './flow-versions/publish.ts';
import { createFlow } from './flows/create.ts';
import { deleteFlow } from './flows/delete.ts';
import { exportFlowRuntime } from './flows/export-runtime.ts';
import { getFlow } from './flows/get.ts';
import { listFlows } from './flows/list.ts';
import { publishFlow } from './flows/publish.ts';
import { runFlowOnRecordType } from './flows/run-on-record-type.ts';
import { listFlowStepResults } from './flows/step-results.ts';
import { updateFlow } from './flows/update.ts';
import { validateFlow } from './public/validate-flow.ts';
import { bulkDeleteRecords } from './records/bulk-delete.ts';
import { bulkEditRecords } from './records/bulk-edit.ts';
import { getRecordCosts } from './records/costs.ts';
import { createRecord } from './records/create.ts';
import { deleteRecord } from './records/delete.ts';
import { deleteRecordResult } from './records/delete-result.ts';
import { exportRecords } from './records/export.ts';
import { listFieldValues } from './records/field-values.ts';
import { getRecord } from './records/get.ts';
import { listRecords } from './records/list.ts';
import { previewFilter } from './records/preview-filter.ts';
import { listRecordResults } from './records/results.ts';
import { discoverRecordSchema } from './records/schema.ts';
import { listRecordStepResults } from './records/step-results.ts';
import { updateRecord } from './records/update.ts';
import { uploadCsv } from './records/upload-csv.ts';
import { checkSecrets } from './secrets/check.ts';
import { createSecret } from './secrets/create.ts';
import { deleteSecret } from './secrets/delete.ts';
import { getSecret } from './secrets/get.ts';
import { secretsIntakeManifest } from './secrets/intake-manifest.ts';
import { secretsIntakeSubmit } from './secrets/intake-submit.ts';
import { listSecrets } from './secrets/list.ts';
import { secretsSetupUrl } from './secrets/setup-url.ts';
import { updateSecret } from './secrets/update.ts';
import { getUsageLimits } from './usage-limits/get.ts';

/** Every endpoint of the API, once. Routes, documents, clients and roles derive from this list. */
export const endpoints = [
  apiKeyOptions,
  createApiKey,
  listApiKeys,
  apiKeyAnalytics,
  getApiKey,
  updateApiKey,
  deleteApiKey,
  regenerateApiKey,
  revealApiKey,
  apiKeyAnalyticsOfOne,
  getUsageLimits,
  listFlows,
  createFlow,
  getFlow,
  updateFlow,
  deleteFlow,
  publishFlow,
  exportFlowRuntime,
  runFlowOnRecordType,
  listFlowStepResults,
  listFlowVersions,
  getPublishedFlowVersion,
  getFlowVersion,
  publishFlowVersion,
  listRecords,
  createRecord,
  bulkDeleteRecords,
  bulkEditRecords,
  discoverRecordSchema,
  listFieldValues,
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
  dispatch,
  runBatchFlow,
  batchStatus,
  cancelBatch,
  batchSummary,
  batchCost,
  listSecrets,
  createSecret,
  checkSecrets,
  secretsSetupUrl,
  secretsIntakeManifest,
  secretsIntakeSubmit,
  getSecret,
  updateSecret,
  deleteSecret,
  validateFlow,
] as const satisfies readonly AnyEndpoint[];
