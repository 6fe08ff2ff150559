/**
 * Finds the number of a device in the text of its code: a LoRaWAN code (`LW:D0:JoinEUI:DevEUI:…`, TR005), a URL of the
 * manufacturer that contains the number, or the number itself. Only the number is sent to the service.
 */
export function deviceInCode(code: string): string {
  const text = code.trim();
  if (/^LW:D0:/i.test(text)) return (text.split(':')[3] ?? '').toUpperCase();
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) return text;
  for (const [name, value] of url.searchParams)
    if (['sn', 'serial', 'deveui'].includes(name.toLowerCase())) return value;
  return decodeURIComponent(url.pathname.split('/').findLast((part) => part !== '') ?? '');
}
