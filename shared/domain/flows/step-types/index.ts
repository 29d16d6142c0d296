import type { AnyStepType } from '../steps/step.ts';
import { apiCallStep } from './api-call.ts';
import { approvalStep } from './approval.ts';
import { conditionalStep } from './conditional.ts';
import { crawlStep } from './crawl.ts';
import { executeAgentStep } from './execute-agent.ts';
import { fetchGithubStep } from './fetch-github.ts';
import { fetchUrlStep } from './fetch-url.ts';
import { flowStep } from './flow.ts';
import { generateEmbeddingStep } from './generate-embedding.ts';
import { generatePdfStep } from './generate-pdf.ts';
import { loopStep } from './loop.ts';
import { mapStep } from './map.ts';
import { memorySummaryStep } from './memory-summary.ts';
import { paginateApiStep } from './paginate-api.ts';
import { parallelStep } from './parallel.ts';
import { promptStep } from './prompt.ts';
import { recallMemoryStep } from './recall-memory.ts';
import { reduceStep } from './reduce.ts';
import { retrieveRecordStep } from './retrieve-record.ts';
import { saveMemoryStep } from './save-memory.ts';
import { searchStep } from './search.ts';
import { sendEmailStep } from './send-email.ts';
import { sendEventStep } from './send-event.ts';
import { sendStreamStep } from './send-stream.ts';
import { sendTextStep } from './send-text.ts';
import { setVariableStep } from './set-variable.ts';
import { storeAssetStep } from './store-asset.ts';
import { storeVectorStep } from './store-vector.ts';
import { templateStep } from './template.ts';
import { toolCallStep } from './tool-call.ts';
import { transformDataStep } from './transform-data.ts';
import { updateRecordStep } from './update-record.ts';
import { upsertRecordStep } from './upsert-record.ts';
import { vectorSearchStep } from './vector-search.ts';
import { waitForCallbackStep } from './wait-for-callback.ts';
import { waitUntilStep } from './wait-until.ts';

/** All step types by name. To add one, add a file here, a line below, and its runner in `execution/steps`. */
export const stepTypes = {
  prompt: promptStep,
  template: templateStep,
  'transform-data': transformDataStep,
  conditional: conditionalStep,
  parallel: parallelStep,
  map: mapStep,
  loop: loopStep,
  reduce: reduceStep,
  flow: flowStep,
  'set-variable': setVariableStep,
  'api-call': apiCallStep,
  'fetch-url': fetchUrlStep,
  crawl: crawlStep,
  search: searchStep,
  'fetch-github': fetchGithubStep,
  'paginate-api': paginateApiStep,
  'upsert-record': upsertRecordStep,
  'retrieve-record': retrieveRecordStep,
  'update-record': updateRecordStep,
  'wait-until': waitUntilStep,
  approval: approvalStep,
  'wait-for-callback': waitForCallbackStep,
  'send-stream': sendStreamStep,
  'send-email': sendEmailStep,
  'send-text': sendTextStep,
  'send-event': sendEventStep,
  'generate-embedding': generateEmbeddingStep,
  'store-vector': storeVectorStep,
  'vector-search': vectorSearchStep,
  'save-memory': saveMemoryStep,
  'recall-memory': recallMemoryStep,
  'memory-summary': memorySummaryStep,
  'store-asset': storeAssetStep,
  'generate-pdf': generatePdfStep,
  'tool-call': toolCallStep,
  'execute-agent': executeAgentStep,
} satisfies Record<string, AnyStepType>;

export type StepTypeName = keyof typeof stepTypes;
export const stepTypeNames = Object.keys(stepTypes) as StepTypeName[];

/** The type of a stored step, which was validated when it was saved. */
export function getStepType(name: string): AnyStepType {
  const types: Record<string, AnyStepType> = stepTypes;
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (!type) throw new Error(`Unknown step type ${name}`);
  return type;
}
