import { sharedTexts } from '../../../texts/shared.ts';
import { stepTexts } from '../../../texts/steps.ts';

/** The types of steps, as the menu groups them: what each does. */
export const stepGroups = [
  {
    id: 'ai',
    group: stepTexts.ai,
    types: {
      prompt: stepTexts.prompt,
      'execute-agent': stepTexts.runAgent,
      'generate-embedding': stepTexts.embedText,
    },
  },
  {
    id: 'data',
    group: stepTexts.dataAndLogic,
    types: {
      'transform-data': stepTexts.javaScript,
      template: stepTexts.template,
      'set-variable': stepTexts.setVariable,
      conditional: stepTexts.condition,
      parallel: stepTexts.parallel,
      map: stepTexts.forEach,
      loop: stepTexts.loop,
      reduce: stepTexts.reduce,
      flow: stepTexts.runFlow,
      'wait-until': stepTexts.wait,
      approval: stepTexts.approval,
      'wait-for-callback': stepTexts.waitForCallback,
    },
  },
  {
    id: 'web',
    group: stepTexts.webAndApis,
    types: {
      'api-call': sharedTexts.httpRequest,
      'paginate-api': stepTexts.paginatedHttpRequest,
      'fetch-url': stepTexts.fetchWebPage,
      crawl: stepTexts.crawlWebsite,
      search: sharedTexts.webSearch,
      'fetch-github': stepTexts.fetchFromGitHub,
      'tool-call': stepTexts.runTool,
    },
  },
  {
    id: 'records',
    group: stepTexts.recordsAndMemory,
    types: {
      'retrieve-record': stepTexts.readRecords,
      'upsert-record': stepTexts.upsertRecord,
      'update-record': stepTexts.updateRecord,
      'store-vector': stepTexts.storeVector,
      'vector-search': stepTexts.vectorSearch,
      'save-memory': stepTexts.saveMemory,
      'recall-memory': stepTexts.recallMemory,
      'memory-summary': stepTexts.summariseMemory,
    },
  },
  {
    id: 'send',
    group: stepTexts.sendAndStore,
    types: {
      'send-email': stepTexts.sendEmail,
      'send-text': stepTexts.sendTextMessage,
      'send-event': stepTexts.sendEvent,
      'send-stream': stepTexts.streamToCaller,
      'store-asset': stepTexts.storeFile,
      'generate-pdf': stepTexts.generatePdf,
    },
  },
] as const;

const labels: Record<string, string> = Object.assign({}, ...stepGroups.map(({ types }) => types));

export const stepTypeLabel = (type: string) => labels[type] ?? type;
export const labelledStepTypes = Object.keys(labels);
