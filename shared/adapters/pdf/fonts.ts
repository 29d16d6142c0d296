const family = (name: string) => {
  const file = (style: string) => `dejavu-fonts-ttf/ttf/DejaVu${name}${style}.ttf`;
  return {
    normal: file(''),
    bold: file('-Bold'),
    italics: file('-Oblique'),
    bolditalics: file('-BoldOblique'),
  };
};

/** The free font family with the most characters: Latin, Greek, Cyrillic, arrows, boxes, mathematics. */
export const fontFamilies = { Sans: family('SansCondensed'), Mono: family('SansMono') };
export const fontFiles = Object.values(fontFamilies).flatMap((files) => Object.values(files));
