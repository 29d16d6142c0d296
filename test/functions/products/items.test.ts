import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';
import { addItem, createSurface, greetingProduct } from '../../support/surfaces/products.ts';

const missing = (kind: string) => `${kind}_${'0'.repeat(26)}`;
const presentation = { route: 'greet', displayLabel: 'Greet', displayMode: 'form' };

async function world(changes: object = {}) {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id, changes);
  const path = `/v1/products/${product.id}/surfaces/${surface.id}`;
  const add = (body: object = {}) => addItem(tenant, surface, { capabilityId: capability.id, ...body });
  const change = (id: string, body: object) => tenant.call('PUT', `${path}/items/${id}`, { body });
  const items = async () => (await expectStatus(200, tenant.call('GET', path))).items;
  return { ...tenant, surface, capability, path, add, change, items };
}

test('an item exposes a capability under names of its own, and is removed', async () => {
  const { add, path, call, items, capability, surface } = await world();
  const given = {
    endpointSlug: 'hello-1',
    exposedName: 'Hello',
    exposedDescription: 'Says hello',
    enabled: false,
  };
  const item = await expectStatus(201, add({ ...given, isEntryPoint: true, presentation }));
  expect(item).toEqual({
    id: expect.stringMatching(/^item_/),
    surfaceId: surface.id,
    capabilityId: capability.id,
    ...given,
    isEntryPoint: true,
    config: null,
    displayOrder: 0,
    createdAt: expect.any(String),
    presentation: { ...presentation, displayOrder: 0, isDefault: false, visibility: 'auth-only' },
  });
  const remove = () => call('DELETE', `${path}/items/${item.id}`);
  expect(await expectStatus(200, remove())).toEqual({ success: true });
  expect(await items()).toEqual([]);
  expect(await expectStatus(404, remove())).toEqual(notFoundBody('Surface item'));
});

test('where items are called by path, one without a slug gets it from its name', async () => {
  const { add } = await world();
  const slugs = [];
  for (const exposedName of [undefined, 'Grüße & Co.', '東京']) {
    slugs.push((await expectStatus(201, add({ ...(exposedName && { exposedName }) }))).endpointSlug);
  }
  slugs.push((await expectStatus(201, add())).endpointSlug);
  expect(slugs).toEqual(['greet', 'gru-e-co', 'item', 'greet-2']);
  const chat = await world({ type: 'chat' });
  expect((await expectStatus(201, chat.add())).endpointSlug).toBeNull();
});

test('a slug that is cleared is made again from the name of the item, or else of its capability', async () => {
  const { add, change } = await world();
  const { id } = await expectStatus(201, add({ endpointSlug: 'mine' }));
  expect(await expectStatus(200, change(id, { endpointSlug: null }))).toMatchObject({
    endpointSlug: 'greet',
  });
  const second = await expectStatus(201, add({ endpointSlug: 'other' }));
  const derived = { endpointSlug: 'greet-2' };
  expect(await expectStatus(200, change(second.id, { endpointSlug: null }))).toMatchObject(derived);
});

test.each<[string, object, object]>([
  ['the slug', { endpointSlug: 'other' }, { endpointSlug: 'other' }],
  ['its own slug', { endpointSlug: 'slug' }, {}],
  ['no slug, and so one from its name', { endpointSlug: null }, { endpointSlug: 'name' }],
  ['the name', { exposedName: 'Other' }, { exposedName: 'Other' }],
  ['no name', { exposedName: null }, { exposedName: null }],
  ['the description', { exposedDescription: 'Other' }, { exposedDescription: 'Other' }],
  ['no description', { exposedDescription: null }, { exposedDescription: null }],
  ['enabled', { enabled: false }, { enabled: false }],
  ['the entry point', { isEntryPoint: false }, { isEntryPoint: false }],
  ['no presentation', { presentation: null }, { presentation: null }],
  [
    'the presentation',
    { presentation: { ...presentation, route: 'other' } },
    {
      presentation: {
        ...presentation,
        route: 'other',
        displayOrder: 0,
        isDefault: false,
        visibility: 'auth-only',
      },
    },
  ],
  ['a member of the config', { config: { a: { c: 3 }, d: 4 } }, { config: { a: { b: 2, c: 3 }, d: 4 } }],
  ['no member of the config', { config: { a: { b: null } } }, { config: { a: {} } }],
  ['no config', { config: null }, { config: null }],
  ['nothing', {}, {}],
])('a change of %s leaves the rest', async (_what, changes, expected) => {
  const { add, change } = await world();
  const given = {
    endpointSlug: 'slug',
    exposedName: 'Name',
    exposedDescription: 'D',
    isEntryPoint: true,
    presentation,
  };
  const { id } = await expectStatus(201, add(given));
  const before = await expectStatus(200, change(id, { config: { a: { b: 2 } } }));
  expect(before.config).toEqual({ a: { b: 2 } });
  expect(await expectStatus(200, change(id, changes))).toEqual({ ...before, ...expected });
});

test.each<[string, object, object]>([
  ['endpointSlug', { endpointSlug: 'one' }, { endpointSlug: 'two' }],
  ['exposedName', { exposedName: 'One' }, { exposedName: 'Two' }],
  ['presentation.route', { presentation }, { presentation: { ...presentation, route: 'two' } }],
  ['isEntryPoint', { isEntryPoint: true }, { isEntryPoint: false }],
])('only one item has the %s, also after parallel calls and a change', async (path, taken, free) => {
  const { add, change } = await world();
  const answers = await Promise.all(Array.from({ length: 5 }, () => add(taken)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  const { id } = await expectStatus(201, add(free));
  const { details } = await expectStatus(409, change(id, taken));
  expect(details).toEqual([expect.objectContaining({ path, code: 'NAME_TAKEN' })]);
});

test.each<[object, string, string]>([
  [{ endpointSlug: 'Not A Slug' }, 'endpointSlug', 'INVALID_FORMAT'],
  [{ endpointSlug: 'x'.repeat(101) }, 'endpointSlug', 'TOO_BIG'],
  [{ exposedName: 'x'.repeat(101) }, 'exposedName', 'TOO_BIG'],
  [{ isEntryPoint: 'yes' }, 'isEntryPoint', 'INVALID_TYPE'],
  [{ presentation: { ...presentation, route: '-a' } }, 'presentation.route', 'INVALID_FORMAT'],
  [{ presentation: { ...presentation, displayMode: 'tv' } }, 'presentation.displayMode', 'INVALID_ENUM'],
  [{ presentation: { ...presentation, colour: 'red' } }, 'presentation.colour', 'UNKNOWN_MEMBER'],
])('400 for %j, on create and update', async (body, path, code) => {
  const { add, change, items } = await world();
  const { details } = await expectStatus(400, add(body));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  expect(await items()).toEqual([]);
  const { id } = await expectStatus(201, add());
  const changed = await expectStatus(400, change(id, body));
  expect(changed.details).toContainEqual(expect.objectContaining({ path, code }));
});

test('404 for a capability of another product, and for a surface that does not exist', async () => {
  const one = await world();
  const other = await greetingProduct(one);
  expect(await expectStatus(404, one.add({ capabilityId: other.capability.id }))).toEqual(
    notFoundBody('Capability'),
  );
  const gone = { ...one.surface, id: missing('surface') };
  const added = addItem(one, gone, { capabilityId: one.capability.id });
  expect(await expectStatus(404, added)).toEqual(notFoundBody('Surface'));
  expect(await expectStatus(404, one.change(missing('item'), {}))).toEqual(notFoundBody('Surface item'));
});

test('a surface has at most 64 items', async () => {
  const { add } = await world();
  for (let n = 0; n < 64; n++) await expectStatus(201, add());
  const { details } = await expectStatus(409, add());
  expect(details).toEqual([expect.objectContaining({ code: 'LIMIT_REACHED' })]);
});
