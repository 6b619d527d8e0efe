/** The claim page: what a claim link opens. It enhances the server's page, which works without it. */
import "./style.css";
import { letterOf } from "./link.ts";

const letter = letterOf(location.hash);
if (letter !== null && letter !== "damaged" && letter.to) document.title = `${document.title}, ${letter.to}`;
