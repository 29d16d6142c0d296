/** The types of steps, as the menu groups them: what each does. */
export const stepGroups = [
  {
    group: 'AI',
    types: {
      prompt: 'Prompt',
      'execute-agent': 'Run agent',
      'generate-embedding': 'Embed text',
    },
  },
  {
    group: 'Data and logic',
    types: {
      'transform-data': 'JavaScript',
      template: 'Template',
      'set-variable': 'Set variable',
      conditional: 'Condition',
      'wait-until': 'Wait',
    },
  },
  {
    group: 'Web and APIs',
    types: {
      'api-call': 'HTTP request',
      'paginate-api': 'Paginated HTTP request',
      'fetch-url': 'Fetch web page',
      crawl: 'Crawl website',
      search: 'Web search',
      'fetch-github': 'Fetch from GitHub',
      'tool-call': 'Run tool',
    },
  },
  {
    group: 'Records and memory',
    types: {
      'retrieve-record': 'Read records',
      'upsert-record': 'Upsert record',
      'update-record': 'Update record',
      'store-vector': 'Store vector',
      'vector-search': 'Vector search',
      'save-memory': 'Save memory',
      'recall-memory': 'Recall memory',
      'memory-summary': 'Summarise memory',
    },
  },
  {
    group: 'Send and store',
    types: {
      'send-email': 'Send email',
      'send-text': 'Send text message',
      'send-event': 'Send event',
      'send-stream': 'Stream to caller',
      'store-asset': 'Store file',
      'generate-pdf': 'Generate PDF',
    },
  },
] as const;

const labels: Record<string, string> = Object.assign({}, ...stepGroups.map(({ types }) => types));

export const stepTypeLabel = (type: string) => labels[type] ?? type;
export const stepTypes = Object.keys(labels);
