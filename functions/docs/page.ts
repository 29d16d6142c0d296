import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:">
<title>API reference · Agent and Flow Automation Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The document itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui.js"></script>
</body>
</html>
`;

export const referencePage = defineEndpoint({
  id: 'docs.page',
  method: 'GET',
  path: '/docs',
  permission: 'public',
  scope: 'none',
  summary: 'The reference page',
  response: { kind: 'text', mediaType: 'text/html; charset=utf-8' },
  needs: {},
  handle: () => html,
});

export const handler = toLambda(referencePage);
