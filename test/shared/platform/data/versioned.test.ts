import { expect, test } from 'vitest';
import * as z from 'zod';
import { newId } from '../../../../shared/core/ids.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import {
  createFirstDraft,
  saveDraft,
  toDraftVersion,
  type VersionKind,
  versionedFields,
  versionFields,
} from '../../../../shared/platform/data/versions/version-kind.ts';
import { versionSnapshots } from '../../../../shared/platform/data/versions/version-snapshots.ts';
import { type Documents, manageVersions } from '../../../../shared/platform/data/versions/versioned.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from './notes.ts';

/** Something with versions that is no flow. */
const Letter = z.object({ ...versionedFields, text: z.string(), publishedText: z.string().optional() });
type Letter = z.infer<typeof Letter>;
const LetterVersion = z.object({ ...versionFields, letterId: z.string(), text: z.string() });
type LetterVersion = z.infer<typeof LetterVersion>;

const letterPartition = (id: string) => tenantPartition(`LETTER#${id}`);
const letterEntity = defineEntity({
  type: 'letter',
  schema: Letter,
  key: ({ id }: { id: string }) => ({ PK: letterPartition(id), SK: 'LETTER' }),
  index: ({ draft }) => (draft ? { PK2: tenantPartition('LETTERVERSIONS'), SK2: draft.id } : {}),
});
const letterVersionEntity = defineEntity({
  type: 'letterVersion',
  schema: LetterVersion,
  key: ({ letterId, id }: { letterId: string; id: string }) => ({ PK: letterPartition(letterId), SK: id }),
  index: ({ letterId, id }) => ({
    PK1: tenantPartition(`LETTER#${letterId}#VERSIONS`),
    SK1: id,
    PK2: tenantPartition('LETTERVERSIONS'),
    SK2: id,
  }),
  summary: ['number', 'type'],
});

const kind: VersionKind<Letter, LetterVersion, { id: string; number: number; type: string }> = {
  noun: 'letter',
  codeOfForeign: 'VERSION_OF_ANOTHER_FLOW',
  idPrefix: 'flowver',
  entity: letterVersionEntity,
  keyOf: (letterId, id) => ({ letterId, id }),
  versionsOf: (letterId) => tenantPartition(`LETTER#${letterId}#VERSIONS`),
  allVersions: tenantPartition('LETTERVERSIONS'),
  summary: z.object({ id: z.string(), number: z.int(), type: z.string() }),
  contentOf: ({ id, text }) => ({ letterId: id, text }),
  publishedFields: ({ text }) => ({ publishedText: text }),
};

function world() {
  const scope = countingRuntime().scopeOf(newTenantName());
  const { table } = scope;
  const found = (letter: Letter | undefined) => letter ?? expect.unreachable();
  const letters: Documents<Letter> = {
    find: async (id) => found(await table.get(letterEntity, { id }, { consistent: true })),
    async change(id, decide) {
      const decided = async (before: Letter) => {
        const { after, ...more } = await decide(before);
        return { put: after, ...more };
      };
      return found(await table.modify(letterEntity, { id }, decided, { consistent: true }));
    },
  };
  const newVersion = () => ({ id: newId('flowver'), createdAt: new Date().toISOString() });
  return {
    table,
    letters,
    versions: manageVersions(scope, kind, letters),
    snapshots: versionSnapshots(scope, kind),
    async write(text: string) {
      const letter: Letter = {
        id: newId('flow'),
        text,
        updatedAt: new Date().toISOString(),
        ...createFirstDraft(newVersion()),
      };
      await table.commit([table.writes.insert(letterEntity, letter)]);
      return letter;
    },
    save: (id: string, text: string) =>
      letters.change(id, async (before) => ({
        after: { ...before, ...saveDraft(before, newVersion()), text },
      })),
  };
}

test('a new document has a draft; saving updates the draft, or creates the next one after publication', async () => {
  const { letters, versions, write, save } = world();
  const { id, draft } = await write('one');
  expect(toDraftVersion(kind, await save(id, 'two'))).toMatchObject({
    ...draft,
    number: 1,
    type: 'draft',
    text: 'two',
  });
  expect(await versions.publishDraft(id)).toBe(draft?.id);
  const published = await letters.find(id);
  expect(published).toMatchObject({ draft: null, publishedVersionId: draft?.id, publishedText: 'two' });
  expect(await versions.findPublished(published)).toMatchObject({
    type: 'published',
    text: 'two',
    number: 1,
  });
  expect(() => toDraftVersion(kind, published)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  const { draft: next } = await save(id, 'three');
  expect(next).toMatchObject({ number: 2 });
  expect(await versions.list(await letters.find(id))).toEqual([
    { id: next?.id, number: 2, type: 'draft' },
    { id: draft?.id, number: 1, type: 'published' },
  ]);
});

test('an earlier version can be published again; a draft is published only under its own id', async () => {
  const { letters, versions, write, save } = world();
  const { id, draft } = await write('one');
  await versions.publish(id, draft?.id ?? '');
  const { draft: second } = await save(id, 'two');
  await expect(versions.publishDraft(id, draft?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await versions.publish(id, second?.id ?? '');
  expect(await letters.find(id)).toMatchObject({ publishedText: 'two' });
  await versions.publish(id, draft?.id ?? '');
  expect(await letters.find(id)).toMatchObject({
    publishedText: 'one',
    publishedVersionId: draft?.id,
    draft: null,
  });
});

test('the current content can be published without a draft, as a new version', async () => {
  const { letters, versions, write } = world();
  const { id, draft } = await write('one');
  expect(await versions.publishCurrent(id)).toBe(draft?.id);
  const again = await versions.publishCurrent(id);
  expect(again).not.toBe(draft?.id);
  const letter = await letters.find(id);
  expect(letter).toMatchObject({ draft: null, publishedVersionId: again, lastVersionNumber: 2 });
  expect(await versions.findPublished(letter)).toMatchObject({ id: again, number: 2, text: 'one' });
});

test('a version of another document returns 400 and names its kind; an unknown version returns 404', async () => {
  const { versions, write } = world();
  const [one, other] = [await write('one'), await write('other')];
  await expect(versions.find(one, other.draft?.id ?? '')).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [
      {
        path: 'versionId',
        code: 'VERSION_OF_ANOTHER_FLOW',
        message: 'The version belongs to another letter. Send a version of this letter',
      },
    ],
  });
  await expect(versions.find(one, newId('flowver'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'Letter version not found',
  });
});

test('a snapshot has the same id for the same content, is stored once, and is never published', async () => {
  const { versions, snapshots, write } = world();
  const { id, draft } = await write('one');
  const facts = { number: 1, type: 'test' as const, createdAt: draft?.createdAt ?? '' };
  const snapshot = snapshots.build(id, facts, 'one');
  expect(snapshots.build(id, facts, 'one').id).toBe(snapshot.id);
  expect(snapshots.build(id, facts, 'two').id).not.toBe(snapshot.id);
  let made = 0;
  const make = async () => {
    made++;
    return { ...snapshot, letterId: id, text: 'one' };
  };
  for (let n = 0; n < 2; n++) await snapshots.keep(snapshot.id, make);
  expect(made).toBe(1);
  expect(await versions.getImmutable(id, snapshot.id)).toMatchObject({ type: 'test', text: 'one' });
  await expect(versions.publish(id, snapshot.id)).rejects.toMatchObject({ code: 'VALIDATION' });
});
