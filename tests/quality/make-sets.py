#!/usr/bin/env python3
"""Makes development sets of natures that no public set here has: conversations, and several languages.

make-sets.py DIRECTORY writes DIRECTORY/made-turns and DIRECTORY/made-tongues as `docs.jsonl` and `queries.jsonl`.
The same texts come out each time. A question asks for something in other words than it was said in, names who
said it, and has one answer among turns about similar things said by others.
"""
import json
import random
import sys
from datetime import datetime, timedelta
from pathlib import Path

PAIRS = [("Nadia", "Tom"), ("Priya", "Gareth"), ("Lucía", "Ben"), ("Mei", "Oskar")]

# What is said, what the other one answers, and how it is asked for. A blank is filled from SLOTS.
EVENTS = [
    ("I finally signed the lease for the flat in {city}! Moving in next month.", "Congrats! {city} is so lively, you'll love it.", ["Which town is {who} relocating to?", "Where did {who} rent a place?"]),
    ("We adopted a {pet} from the shelter on Saturday, we call it {petname}.", "Aww, {petname}! Send pictures please.", ["What is the name of {who}'s animal?", "When did {who} get a pet?"]),
    ("My knee surgery went fine, the doctor says {weeks} weeks without running.", "Glad it went well. Rest up!", ["How long must {who} avoid jogging after the operation?"]),
    ("I've started taking {craft} classes on Thursday evenings, so relaxing.", "Oh nice, I always wanted to try something like that.", ["What hobby did {who} pick up?", "Which course does {who} attend weekly?"]),
    ("My sister had her baby last night, a little girl called {baby}.", "Wow, congratulations to the whole family!", ["What is the name of {who}'s niece?"]),
    ("I quit my job at the {firm}. No more night shifts for me.", "That took courage, what comes next?", ["Where was {who} employed before leaving?", "Why did {who} leave the old position?"]),
    ("Guess what, I got accepted to study {subject} in the autumn!", "That's huge, you worked hard for it.", ["What will {who} study?", "Which degree was {who} admitted to?"]),
    ("The car broke down on the motorway, the {part} is gone. It'll cost a fortune.", "Ouch, that always happens at the worst time.", ["What was wrong with {who}'s vehicle?"]),
    ("I ran the half marathon in {time}, a new personal best.", "Impressive! I'd be out of breath after a mile.", ["How fast did {who} finish the race?", "What did {who} achieve in sport?"]),
    ("Grandma taught me her recipe for {dish} this weekend.", "Yum, will you cook it when I visit?", ["What did {who} learn to cook?", "Which meal comes from {who}'s grandmother?"]),
    ("I've been reading {book} before bed, can't put it down.", "I heard it's good, lend it to me afterwards.", ["What novel does {who} enjoy at the moment?"]),
    ("We're planning to hike in {mountains} in July with the kids.", "The views there must be stunning.", ["What are {who}'s summer plans?", "Where will {who}'s family go walking?"]),
    ("I'm allergic to {allergy}, found out the hard way at dinner.", "Oh no, were you alright in the end?", ["What can {who} not eat?", "Which food makes {who} ill?"]),
    ("My band has a gig at the {venue} on Friday, I play the {instrument}.", "I'll be in the first row!", ["Which musical instrument does {who} play?", "Where does {who} perform?"]),
    ("I lost my wallet on the train, so I had to block all the cards.", "How annoying. Did anybody hand it in?", ["What did {who} lose while travelling?"]),
    ("I volunteer at the {charity} every second Sunday now.", "That's a wonderful thing to do.", ["How does {who} help the community?", "Where does {who} do unpaid work?"]),
    ("Dad's birthday is coming and I'm building him a {gift} from scratch.", "He's going to treasure that.", ["What present is {who} making for the father?"]),
    ("I planted {plants} on the balcony, let's see what survives.", "With your green thumb all of it will.", ["What does {who} grow at home?"]),
    ("I'm learning {language}, mostly with an app on the bus.", "How far did you get?", ["Which foreign language is {who} practising?"]),
    ("The landlord raised the rent by {percent} percent, can you believe it?", "That's outrageous, can you appeal?", ["How much more does {who} have to pay for the apartment?"]),
    ("I painted a {picture} and it got picked for the exhibition downtown.", "You're so talented, I'm proud of you.", ["What artwork of {who} will be displayed?"]),
    ("My brother and I haven't spoken since the argument about {quarrel}.", "Give it time, family is family.", ["What did {who} fall out with a sibling over?"]),
    ("I got a scholarship of {amount} euros, that covers the fees.", "What a relief that must be!", ["How much money was {who} granted?"]),
    ("My therapist suggested {habit} and my sleep is so much better.", "I might copy that one.", ["What helps {who} rest at night?"]),
    ("I gave a talk about {talk} in front of two hundred people today.", "Were you nervous?", ["What did {who} present to an audience?"]),
]
SLOTS = {
    "city": "Lisbon Leeds Ghent Kraków Malmö Porto Graz Nantes".split(), "pet": "tabby greyhound parrot tortoise rabbit terrier".split(),
    "petname": "Biscuit Mochi Pixel Waffle Juno Comet Olive Basil".split(), "weeks": "six eight ten twelve nine".split(),
    "craft": "pottery|weaving|life drawing|woodcarving|salsa|calligraphy|glassblowing|tap dancing".split("|"),
    "baby": "Elif Rosa Ines Maud Thea Wren Alma Noor".split(), "firm": "bakery|call centre|hospital laundry|airport|warehouse|hotel bar".split("|"),
    "subject": "marine biology|architecture|nursing|linguistics|astronomy|social work|law|forestry".split("|"),
    "part": "gearbox|clutch|radiator|alternator|head gasket|fuel pump".split("|"), "time": "1:42|1:55|2:03|1:38|2:11".split("|"),
    "dish": "pierogi|lamb tagine|moussaka|ramen|paella|goulash|dal makhani|borscht".split("|"),
    "book": "Middlemarch|Dune|The Overstory|Circe|Pachinko|Piranesi|Beloved|Stoner".split("|"),
    "mountains": "the Dolomites|the Tatras|Snowdonia|the Pyrenees|Lapland|the Cairngorms".split("|"),
    "allergy": "shellfish|walnuts|celery|sesame|kiwi|lupin".split("|"), "venue": "Blue Door|Old Mill|Harbour Club|Cellar Bar".split("|"),
    "instrument": "cello|trumpet|banjo|double bass|accordion|clarinet".split("|"),
    "charity": "food bank|animal rescue|repair café|literacy centre|hospice|bike kitchen".split("|"),
    "gift": "telescope|rocking chair|bird house|chess board|guitar|kayak".split("|"),
    "plants": "tomatoes and basil|chillies|strawberries|sweet peas|runner beans|lemons".split("|"),
    "language": "Finnish Japanese Arabic Welsh Portuguese Turkish Korean Greek".split(), "percent": "nine twelve fifteen twenty eighteen".split(),
    "picture": "heron at dusk|harbour in fog|self-portrait|field of poppies|tram in the rain".split("|"),
    "quarrel": "the inheritance|politics|the wedding|selling the house|the dog|money he owes me".split("|"),
    "amount": "2,000 3,500 5,000 1,200 4,800".split(), "habit": "no screens after nine|a weighted blanket|camomile tea|journalling|morning swims".split("|"),
    "talk": "urban beekeeping|wind turbines|medieval maps|accessibility|sourdough|soil erosion".split("|"),
}
CHAT = [
    "Hey {other}! How have you been?", "Good to hear from you, {other}! Busy week here.", "Haha, that's so true.", "Thanks {other}, that means a lot.",
    "Same here, time flies.", "Let's catch up soon, okay?", "What have you been up to lately?", "That sounds great, {other}! Tell me more.",
    "I know what you mean, it has been a long month.", "Take care, talk soon!", "Absolutely, I couldn't agree more.", "Wow, I didn't expect that!",
    "How did your family react, {other}?", "Anything exciting planned for the weekend?", "It really made my day.", "You always know how to cheer me up.",
]

# The same decisions in several languages, and questions in the language of the text.
TONGUES = [
    ("Wir haben uns gegen Kubernetes entschieden: drei Server mit systemd reichen, und niemand im Team will einen Cluster betreuen.", ["Warum läuft bei uns kein Container-Orchestrator?", "Wie betreiben wir die Server?"]),
    ("Rechnungen werden nachts um zwei Uhr erzeugt; wer sie tagsüber neu anstößt, verschickt sie doppelt.", ["Wann entstehen die Rechnungen?", "Was passiert, wenn man den Rechnungslauf von Hand startet?"]),
    ("Die Testdatenbank darf nie echte Kundendaten enthalten, der Datenschutzbeauftragte prüft das jeden Monat.", ["Dürfen echte Kunden in der Testumgebung stehen?", "Wer kontrolliert die Daten beim Testen?"]),
    ("Das Passwort für den Drucker im dritten Stock hängt innen am Schrank der Buchhaltung.", ["Wo finde ich die Zugangsdaten des Druckers?"]),
    ("Der Build bricht auf Windows ab, wenn der Pfad länger als 260 Zeichen ist; deshalb liegt das Projekt in C:\\p.", ["Wieso ist das Verzeichnis so kurz benannt?", "Was tun bei Abbruch des Builds unter Windows?"]),
    ("Freitags nach 14 Uhr wird nicht mehr ausgeliefert, außer bei Sicherheitslücken.", ["Bis wann darf man vor dem Wochenende deployen?"]),
    ("Urlaubsanträge gehen an Frau Behrens, nicht mehr an das Sekretariat.", ["Bei wem beantrage ich freie Tage?"]),
    ("Der Export schreibt Beträge in Cent, der Import erwartet Euro: immer durch hundert teilen.", ["Welche Einheit haben die Beträge beim Import?", "Warum sind die importierten Summen hundertmal zu groß?"]),
    ("Elegimos PostgreSQL en lugar de MongoDB porque los pedidos necesitan transacciones entre varias tablas.", ["¿Por qué usamos una base de datos relacional?", "¿Qué base guarda los pedidos?"]),
    ("El servicio de correo rechaza adjuntos de más de diez megas; se suben al almacén y se manda el enlace.", ["¿Cómo enviamos archivos grandes a los clientes?", "¿Cuál es el tamaño máximo de un adjunto?"]),
    ("Las claves del entorno de producción solo las tienen Marta y Joaquín, y se cambian cada noventa días.", ["¿Quién puede entrar en producción?", "¿Con qué frecuencia se renuevan las claves?"]),
    ("La caché se vacía sola a medianoche; si los precios no cuadran antes, hay que reiniciar el proceso catalogo.", ["¿Qué hago si los precios salen antiguos?"]),
    ("No se aceptan cambios sin prueba: una función nueva llega con al menos un caso que falla sin ella.", ["¿Qué hace falta para que se acepte una modificación?"]),
    ("El cliente de Bilbao paga por transferencia a sesenta días, los demás con tarjeta.", ["¿Cómo abona las facturas el cliente vasco?"]),
    ("Los informes semanales los prepara Inés los lunes y los revisa dirección el martes.", ["¿Quién redacta el resumen de cada semana?"]),
    ("Nous gardons Python 3.9 jusqu'en mars, car le pilote de la balance ne fonctionne pas avec les versions plus récentes.", ["Pourquoi ne passe-t-on pas à une version plus récente du langage ?", "Quel matériel empêche la mise à jour ?"]),
    ("Les sauvegardes sont chiffrées et déposées à Strasbourg chaque dimanche ; la restauration prend environ quatre heures.", ["Combien de temps faut-il pour récupérer les données ?", "Où sont conservées les copies ?"]),
    ("Le mot « compte » désigne toujours le contrat, jamais l'utilisateur.", ["Que veut dire compte dans le code ?"]),
    ("Une commande annulée n'est jamais effacée : elle passe à l'état clos avec un motif.", ["Que devient une commande quand le client y renonce ?"]),
    ("Les images sont redimensionnées à la volée, il ne faut donc pas en stocker plusieurs tailles.", ["Comment sont produites les vignettes ?"]),
    ("Le port 8443 est réservé au banc d'essai, l'application écoute sur 9000.", ["Sur quel port tourne l'application ?"]),
    ("Chaque vendredi matin, Karim relit les alertes de la semaine et ferme celles qui sont sans suite.", ["Qui trie les alertes ?"]),
    ("Abbiamo scelto le date in UTC ovunque; la conversione avviene solo nell'interfaccia.", ["In quale fuso orario salviamo gli orari?", "Dove si convertono le ore?"]),
    ("Il magazzino chiude alle cinque: gli ordini dopo quell'ora partono il giorno seguente.", ["Quando viene spedito un ordine serale?"]),
    ("Le fatture elettroniche passano da un fornitore esterno che risponde entro trenta secondi oppure va richiamato.", ["Cosa fare se il servizio di fatturazione non risponde?"]),
    ("La password del router è scritta nel quaderno blu in segreteria.", ["Dove trovo le credenziali della rete?"]),
    ("Usamos filas separadas para pagamentos e notificações, porque um aviso atrasado não pode bloquear dinheiro.", ["Por que existem duas filas?", "O que acontece se as notificações atrasam?"]),
    ("O relatório fiscal deve ser entregue até o dia quinze; depois disso há multa.", ["Qual é o prazo do relatório de impostos?"]),
    ("A Helena decide o que entra em cada versão, o Rui só aprova correções urgentes.", ["Quem escolhe as funcionalidades?", "Quem autoriza correções de emergência?"]),
    ("Nie używamy globalnych zmiennych w module płatności, bo raz pomieszały się dwa zamówienia.", ["Dlaczego płatności nie mają stanu globalnego?"]),
    ("Klucze do serwerowni ma tylko ochrona, trzeba podać numer zgłoszenia.", ["Jak dostać się do serwerów?"]),
    ("我们用令牌桶限制接口调用，每个客户每分钟一百次。", ["接口的调用上限是多少？", "怎样限制客户的请求？"]),
    ("数据库每天凌晨三点备份，保留三十天。", ["备份保存多久？", "什么时候做备份？"]),
    ("发布之前必须由测试组签字，紧急修复除外。", ["谁批准上线？"]),
    ("本番環境へのデプロイは火曜日と木曜日の午前中だけ行う。", ["デプロイできる曜日はいつですか？"]),
    ("ログには個人情報を書かない。違反した場合は即座に削除する。", ["ログに名前を残してもいいですか？"]),
    ("画像の変換は時間がかかるので、夜間のバッチで処理する。", ["画像はいつ変換されますか？"]),
    ("Мы храним деньги в копейках целым числом, потому что дробные числа теряют точность.", ["В каких единицах хранятся суммы?", "Почему не используются дробные числа для денег?"]),
    ("Старый сервер отчётов выключат в июне, новые отчёты пишите на ClickHouse.", ["Куда писать новые отчёты?"]),
    ("Доступ к журналам выдаёт Светлана по заявке.", ["Кто даёт доступ к логам?"]),
]


def turns(rng):
    docs, queries = [], []
    for number, (one, other) in enumerate(PAIRS):
        group = f"talk-{number}"
        events = [(event, speaker) for event in EVENTS for speaker in (one, other)]
        rng.shuffle(events)
        day = datetime(2024, 1, 5, 18, 30) + timedelta(days=rng.randrange(60))

        def say(speaker, text):
            docs.append({"id": f"{group}/{len(docs)}", "text": f"{speaker}: {text}", "timestamp": day.strftime("%Y-%m-%dT%H:%M:%SZ"), "group": group})
            return docs[-1]["id"]

        while events:
            day += timedelta(days=rng.randrange(3, 17), minutes=rng.randrange(300))
            speakers = [one, other]
            for chat in rng.sample(CHAT, rng.randrange(2, 5)):
                say(speakers[0], chat.format(other=speakers[1]))
                speakers.reverse()
            for (said, answer, questions), speaker in [events.pop() for _ in range(min(len(events), rng.randrange(1, 4)))]:
                listener = other if speaker == one else one
                blanks = {name: rng.choice(values) for name, values in SLOTS.items()}
                relevant = say(speaker, said.format(**blanks))
                say(listener, answer.format(**blanks))
                for chat in rng.sample(CHAT, rng.randrange(0, 3)):
                    say(speaker, chat.format(other=listener))
                for question in questions:
                    queries.append({"id": f"{group}/q{len(queries)}", "text": question.format(who=speaker), "relevant": [relevant], "group": group})
    return docs, queries


def tongues():
    docs = [{"id": f"t{number}", "text": text} for number, (text, _) in enumerate(TONGUES)]
    queries = [
        {"id": f"t{number}/{place}", "text": question, "relevant": [f"t{number}"]}
        for number, (_, questions) in enumerate(TONGUES)
        for place, question in enumerate(questions)
    ]
    return docs, queries


def write(directory, docs, queries):
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in (("docs", docs), ("queries", queries)):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (directory / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(directory, len(docs), len(queries))


if __name__ == "__main__":
    target = Path(sys.argv[1])
    write(target / "made-turns", *turns(random.Random(7)))
    write(target / "made-tongues", *tongues())
