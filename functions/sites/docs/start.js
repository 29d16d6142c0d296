const others = [
  ...[
    'c',
    'clojure',
    'csharp',
    'dart',
    'fsharp',
    'go',
    'http',
    'java',
    'julia',
    'kotlin',
    'node',
    'objc',
    'ocaml',
  ],
  ...['php', 'powershell', 'r', 'ruby', 'rust', 'swift'],
];

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  // Without a stage or base path it is the origin alone.
  servers: [{ url: new URL('.', location.href).href.replace(/\/$/, ''), description: 'This deployment' }],
  theme: 'none',
  hiddenClients: {
    ...Object.fromEntries(others.map((language) => [language, true])),
    ...{
      js: ['axios', 'jquery', 'ofetch', 'xhr'],
      python: ['python3', 'aiohttp', 'httpx_async', 'httpx_sync'],
      shell: ['httpie', 'wget'],
    },
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  persistAuth: true,
  // Nothing leaves this origin.
  ...{ proxyUrl: '', telemetry: false, withDefaultFonts: false },
  ...{ agent: { disabled: true }, mcp: { disabled: true } },
  ...{ hideClientButton: true, showDeveloperTools: 'never', documentDownloadType: 'json' },
});
