/** Normal form of an email, equal to the server's: trimmed, NFC, lower case, an ASCII domain. */

const ATOM = "[\\p{L}\\p{N}_!#$%&'*+/=?^`{|}~-]+";
const LOCAL_PART = new RegExp(`^${ATOM}(\\.${ATOM})*$`, "u");

/** Null when it cannot be an address. */
export function normaliseEmail(text: string): string | null {
  const plain = text.trim().normalize("NFC").toLowerCase().normalize("NFC");
  const at = plain.lastIndexOf("@");
  const [local, domain] = [plain.slice(0, at), plain.slice(at + 1)];
  if (!LOCAL_PART.test(local) || !/^[^\s@/?#:\\]+\.[^\s@/?#:\\]+$/.test(domain)) return null;
  try {
    const { hostname } = new URL(`https://${domain}`);
    return hostname.split(".").includes("") ? null : `${local}@${hostname}`;
  } catch {
    return null;
  }
}
