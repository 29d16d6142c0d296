import type { ReactNode } from 'react';
import { plural } from './language.ts';
import { sentence } from './sentence.ts';

export const productTexts = {
  noProducts: 'No products',
  aboutProducts:
    'A product offers flows and agents to others: by an API, a chat, MCP, A2A, webhooks or a schedule. Create one, add what it can do, and then a surface.',
  testKeyOfProduct: 'The test key of the product',
  editProduct: 'Edit product',
  productDeleted: 'Product deleted',
  deleteThisProduct: 'Delete this product?',
  surfacesAreDeletedToo:
    'Its surfaces, keys and schedules are deleted too: requests to them are refused. This cannot be undone.',

  productCount: (products: number) => plural(products, { one: '# product', other: '# products' }),
  copyProductId: 'Copy product ID',
  surfacesOfThemAreDeletedToo:
    'Their surfaces, keys and schedules are deleted too: requests to them are refused.',

  aboutCapabilities: 'A capability is a flow or an agent that the surfaces of this product can offer.',
  whatItRuns: 'What it runs',
  chooseFlowOrAgent: 'Choose a flow or an agent.',
  surfacesStopOffering: 'Surfaces do not offer it any more. The flow or the agent stays.',
  listCannotBeRead: 'The list cannot be read',
  moreInList: 'More in the list',

  surfaces: 'Surfaces',
  addSurface: 'Add surface',
  noSurfaces: 'No surfaces',
  aboutSurfaces:
    'A surface is how others reach the product: an API, a chat, MCP, A2A, a webhook, or a schedule.',
  copySurfaceId: 'Copy surface ID',
  environment: 'Environment',
  signingSecret: 'The signing secret of the webhook',
  editSurface: 'Edit surface',
  pause: 'Pause',
  activate: 'Activate',
  surfaceDeleted: 'Surface deleted',
  deleteThisSurface: 'Delete this surface?',
  keysAreDeletedToo:
    'Its keys and schedules are deleted too: requests to it are refused. This cannot be undone.',
  baseUrl: 'Base URL',
  openApiDocument: 'OpenAPI document',
  chatPage: 'Chat page',
  agentCard: 'Agent card',
  copyUrl: 'Copy URL',

  items: 'Items',
  item: 'Item',
  copyItemId: 'Copy item ID',
  addItem: 'Add item',
  capability: 'Capability',
  noItemsYet: 'No items yet',
  addCapabilityFirst: 'First add a capability to the product, then offer it here.',
  addItemToOffer: 'Add an item to offer a capability of the product.',
  address: 'Address',
  on: 'On',
  offer: (item: string) => `Offer ${item}`,
  surfaceStopsOffering: 'The surface does not offer it any more. The capability stays in the product.',
  targetDeleted: 'nothing: it was deleted',

  keys: 'Keys',
  copyKeyId: 'Copy key ID',
  theKey: 'The key',
  noKeys: 'No keys',
  aboutKeys: 'A key of a surface calls its items, and nothing else: give each caller one.',
  createSurfaceKey: 'Create surface key',
  reveal: 'Reveal',
  revealName: (key: string) => `Reveal ${key}`,
  programsAreRefused: 'Programs that use this key are refused at once. This cannot be undone.',

  schedules: 'Schedules',
  createSchedule: 'Create schedule',
  noSchedules: 'No schedules',
  aboutSchedules: 'A schedule runs a flow once or repeatedly, on records or without.',
  times: (next: ReactNode, last: ReactNode) => sentence`. Next ${next}, last ${last}`,
  timesIn: (timezone: string, next: ReactNode, last: ReactNode) =>
    sentence` in ${timezone}. Next ${next}, last ${last}`,
  nextTimes: (times: number) => `The next ${times} times, on your clock`,
  runNow: 'Run now',
  resume: 'Resume',
  deleteThisSchedule: 'Delete this schedule?',
  scheduleStops: 'It does not run any more. This cannot be undone.',
  runsOfSchedule: 'Runs of the schedule',
  why: 'Why',
  batch: 'Batch',
  webhookDeliveries: 'Webhook deliveries',
  noDeliveriesYet: 'No deliveries yet',
  copyDeliveryId: 'Copy delivery ID',
  event: 'Event',
  lastAttempt: 'Last attempt',
  noAttempt: 'none',
  answered: (status: number | null) => `Answered ${status ?? ''}`,
  sendAgain: 'Send again',
  deliveryResent: 'Delivery resent',

  callIt: 'Call it',
  language: 'Language',
  chatWidget: 'Chat widget',
  mcpClient: 'MCP client',
  copySnippet: 'Copy snippet',
  createTokenAndInsert: 'Create client token and insert',
  createKeyAndInsert: 'Create key and insert',
  aboutTokenOfSnippet:
    'The snippet needs a client token. A new one works on pages of localhost; add your site in its settings.',
  aboutKeyOfSnippets:
    'The snippets read the variable SURFACE_KEY. A new test key runs drafts, and calls this surface only.',
  madeForSnippets: 'Made for snippets',
  storeKeyNow: 'Store this key now: it is shown once.',
  snippetsContainKey: (key: ReactNode) =>
    sentence`The snippets contain this key until you leave this page. ${key}`,
  snippetsContainToken: (token: ReactNode) =>
    sentence`The snippets contain this client token until you leave this page. ${token}`,
  copyKey: 'Copy key',
  copyToken: 'Copy client token',

  parameters: 'Parameters',
  jsonObjectForSnippets: 'A JSON object. The snippets send it too',
  expectedAJsonObject: 'Expected a JSON object',
  testReallyRuns: (item: ReactNode) =>
    sentence`A test request really runs ${item}: it is in the runs, and its calls of models cost money.`,
  usesNewKey: 'It uses the new key.',
  usesYourSession: 'It uses your session.',
  sendTestRequest: 'Send test request',
  waitingForResponse: 'Waiting for the response …',
  response: 'Response',
  responseBody: 'Response body',
};
