/** An email as the server normalises it before it asks for its wallet: trimmed, NFC, lower case, an ASCII domain. */

/** Null when it cannot be an address. */
export function normaliseEmail(text: string): string | null {
  const plain = text.trim().normalize("NFC").toLowerCase().normalize("NFC");
  const at = plain.lastIndexOf("@");
  const [local, domain] = [plain.slice(0, at), plain.slice(at + 1)];
  if (at < 1 || !/^[^\s@/?#:\\]+\.[^\s@/?#:\\]+$/.test(domain) || /[\s@]/.test(local)) return null;
  try {
    return `${local}@${new URL(`https://${domain}`).hostname}`;
  } catch {
    return null;
  }
}
