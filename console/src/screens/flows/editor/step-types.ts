/** The types of steps, as the menu groups them: what each does. */
export const stepGroups = [
  {
    group: 'Think',
    types: {
      prompt: 'Ask a model',
      'execute-agent': 'Let an agent work on it',
      'generate-embedding': 'Turn text into a vector',
    },
  },
  {
    group: 'Shape',
    types: {
      'transform-data': 'Compute with JavaScript',
      template: 'Fill in a template',
      'set-variable': 'Give a value a name',
      conditional: 'Choose between steps',
      'wait-until': 'Wait for a time or a condition',
    },
  },
  {
    group: 'Fetch',
    types: {
      'api-call': 'Call an HTTP API',
      'paginate-api': 'Read an HTTP API page by page',
      'fetch-url': 'Read a web page',
      crawl: 'Read a web site',
      search: 'Search the web',
      'fetch-github': 'Read files from GitHub',
      'tool-call': 'Run a tool',
    },
  },
  {
    group: 'Remember',
    types: {
      'retrieve-record': 'Read records',
      'upsert-record': 'Create or change a record',
      'update-record': 'Change a record',
      'store-vector': 'Store a vector',
      'vector-search': 'Find similar vectors',
      'save-memory': 'Remember something',
      'recall-memory': 'Recall what is remembered',
      'memory-summary': 'Summarise what is remembered',
    },
  },
  {
    group: 'Send and store',
    types: {
      'send-email': 'Send an email',
      'send-text': 'Send a text message',
      'send-event': 'Send an event',
      'send-stream': 'Show the caller something while it runs',
      'store-asset': 'Store a file',
      'generate-pdf': 'Make a PDF',
    },
  },
] as const;

const labels: Record<string, string> = Object.assign({}, ...stepGroups.map(({ types }) => types));

export const stepTypeLabel = (type: string) => labels[type] ?? type;
export const stepTypes = Object.keys(labels);
