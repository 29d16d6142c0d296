/** Where authorization servers send people back. */
export const callbackPath = '/v1/public/mcp-connections/callback';

/** The document that identifies this service as a client. */
export const clientMetadataPath = '/v1/public/mcp-connections/client';

/** The link that a person opens, with its token in the query. */
export const openPath = '/v1/public/mcp-connections/open';

/** The page on which an authorization ends, with how it ended as its fragment. */
export const donePath = '/mcp-connections/done';
