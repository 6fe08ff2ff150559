/**
 * The limits of a workbook. A file of a few kilobytes can unpack to gigabytes, so the declared sizes are checked before a part is
 * unpacked, and yauzl stops a part that is larger than declared. The limits of rows and of characters in a cell are those of Excel.
 */
export const WORKBOOK_LIMITS = {
  fileBytes: 64 * 2 ** 20,
  parts: 10_000,
  /** 1,048,576 rows of four cells take about 150 MB. */
  sheetBytes: 512 * 2 ** 20,
  stringBytes: 256 * 2 ** 20,
  otherBytes: 16 * 2 ** 20,
  strings: 2 * 2 ** 20,
  stringCharacters: 32 * 2 ** 20,
  styles: 65_536,
  rows: 1_048_576,
  columns: 1_000,
  cellCharacters: 32_767,
  rowCharacters: 65_536,
};

/** The largest size of a part that a role unpacks. 50,000 rows of 15 cells take some 40 MB of XML. */
export const SERVER_PART_BYTES = 48 * 2 ** 20;

export const SAVE_AS_CSV = 'save it as "CSV UTF-8" in Excel';
