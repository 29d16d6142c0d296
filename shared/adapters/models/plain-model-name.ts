import { memoise } from '../../core/cache.ts';

/**
 * A model's name in its one form: without invisible characters, blanks at the ends of its parts, empty parts and parts
 * that are dots. Empty if nothing is left.
 */
export const plainModelName = memoise((name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu,
      (character) => (/\s/.test(character) ? ' ' : ''),
    )
    .split('/')
    .map((part) => part.trim())
    .filter((part) => !/^\.{0,2}$/.test(part))
    .join('/'),
);

/** Equal for the names by which servers know the same model. */
export const foldModelName = memoise((name: string): string =>
  plainModelName(name)
    .toLowerCase()
    .replaceAll('ı', 'i')
    .replaceAll(/\s+/g, '')
    .replace(/:latest$/, ''),
);
