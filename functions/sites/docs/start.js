SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
