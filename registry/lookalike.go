package registry

import "unicode"

// The letters that pass for another letter in most typefaces. The table is small on purpose: it holds what comes of
// typing with another keyboard layout, and what somebody who means harm would take first. Fullwidth and styled
// letters are not in it, since form NFKD makes plain ones of them and takes accents off.
var (
	// smallLooks is for folded text. Digits become the letter that they pass for.
	smallLooks = pairs(
		"0o", "1l",
		// Cyrillic.
		"аa", "вb", "гr", "ғf", "ԁd", "еe", "ҽe", "з3", "һh", "нh", "іi", "јj", "кk", "ҝk", "ӏl",
		"мm", "пn", "оo", "рp", "ԛq", "ѕs", "тt", "уy", "үy", "ѵv", "ԝw", "хx", "ҳx", "сc", "ҫc",
		// Greek.
		"αa", "βb", "γy", "εe", "ζz", "ηn", "ιi", "κk", "μm", "νv", "οo", "ρp", "σo", "τt", "υu", "χx", "ωw", "ϳj", "ϝf",
		// Armenian.
		"աw", "գq", "զq", "ոn", "հh", "յj", "սu", "օo", "ցg",
		// Latin: without its dot, with a stroke that is easily missed, or a small capital.
		"ıi", "ȷj", "ɩi", "ɪi", "ɑa", "ɡg", "ɢg", "ʀr", "ʏy", "ʙb", "ʜh", "ʟl", "ɴn", "ᴀa", "ᴄc", "ᴅd", "ᴇe", "ᴊj", "ᴋk",
		"ᴍm", "ᴏo", "ᴘp", "ᴛt", "ᴜu", "ᴠv", "ᴡw", "ᴢz", "ꜱs", "ꜰf", "ǀl",
		// Digits of other scripts.
		"٠o", "۰o", "٥o", "۵o", "०o", "০o", "੦o", "૦o", "௦o", "౦o", "೦o", "൦o", "๐o", "໐o", "၀o", "០o", "١l", "۱l",
	)
	// capitalLooks is for text as written. A letter that is not in it is looked up in smallLooks.
	capitalLooks = pairs(
		"Il", "Іl", "Ӏl", "Ιl", "Аa", "Вb", "Еe", "Ѕs", "З3", "Нh", "Јj", "Кk", "Мm", "Оo", "Рp", "Сc", "Тt",
		"Уy", "Хx", "Ԛq", "Ԝw", "Αa", "Βb", "Εe", "Ζz", "Ηh", "Κk", "Μm", "Νn", "Οo", "Ρp", "Τt", "Υy", "Χx",
	)
)

// look is the ASCII letter that a folded letter passes for, or itself.
func look(r rune) rune {
	if like, ok := smallLooks[r]; ok {
		return like
	}
	return r
}

// lookOfCapital is look for a letter whose case counts.
func lookOfCapital(r rune) rune {
	if like, ok := capitalLooks[r]; ok {
		return like
	}
	if unicode.IsUpper(r) {
		return r
	}
	return look(r)
}

// pairs reads a table of two characters an entry: a letter, and what it passes for.
func pairs(entries ...string) map[rune]rune {
	table := make(map[rune]rune, len(entries))
	for _, e := range entries {
		pair := []rune(e)
		table[pair[0]] = pair[1]
	}
	return table
}
